/* SPDX-License-Identifier: Apache-2.0 */
/* A volume of the node's pool: one that was asked for by itself, or the disk
 * that a domain was created with, which goes with that domain. */
#ifndef MODEL_VOLUME_H
#define MODEL_VOLUME_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain.h"

#define VOLUME_NAME_MAX 72 /* of a domain, /, and of a device */
/* What stands for the device in the name of its file. */
#define VOLUME_DEVICE "disk"

enum volume_state {
	VOLUME_CREATING,
	VOLUME_AVAILABLE,
	VOLUME_GROWING,
	VOLUME_DELETING,
	VOLUME_DELETED, /* only its row remains */
	VOLUME_STATES
};

struct volume {
	char id[ID_MAX];
	char tenant[TENANT_MAX];
	char name[VOLUME_NAME_MAX];
	int64_t version;
	int64_t created_wall_ms, updated_wall_ms;
	uint64_t bytes;
	uint64_t claim_bytes; /* what it will have, while it grows */
	char image[SPEC_FILE_MAX];
	char domain_id[ID_MAX]; /* whose disk it is; "": nobody's */
	char device[16];
	enum volume_state state;
	bool owned; /* it goes with that domain */
};

const char *volume_state_word(enum volume_state s);
/* false: no such word. */
bool volume_state_parse(enum volume_state *out, const char *word);
/* Whether an operation's target is a volume, and no domain. */
bool is_volume_id(const char *id);

#endif
