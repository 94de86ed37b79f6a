/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody wants a domain to be. Nothing in it is a path of the node:
 * kernels, ramdisks and images are names in folders of the operator's, and
 * disks are volumes of the node's pool. Pure.
 */
#ifndef MODEL_DOMAIN_SPEC_H
#define MODEL_DOMAIN_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain_config.h"
#include "model/violation.h"

#define SPEC_FILE_MAX 64
#define SPEC_COMMAND_MAX 1024
#define SPEC_LABELS_MAX 32
#define SPEC_LABEL_MAX 64
#define SPEC_ADDRESS_MAX 46

#define SPEC_MEMORY_LEAST (1ULL << 20)
#define SPEC_MEMORY_MOST (1ULL << 42)
#define SPEC_DISK_LEAST (1ULL << 20)
#define SPEC_DISK_MOST (1ULL << 46)
#define SPEC_CPU_USUAL 100
#define SPEC_CAP_MOST 32000

struct disk_spec {
	char device[16]; /* xvda */
	bool writable;
	uint64_t size_bytes;
	char image[SPEC_FILE_MAX]; /* "": starts as zeros */
	/* "": its own, which goes with it; else a volume, by name or id, whose
	 * size it has. */
	char volume[CONFIG_NAME_MAX];
};

struct nic_spec {
	char mac[18]; /* "": made up */
	unsigned int address_count;
	char addresses[CONFIG_ADDRESSES_MAX][SPEC_ADDRESS_MAX];
};

struct label {
	char key[SPEC_LABEL_MAX], value[SPEC_LABEL_MAX];
};

struct domain_spec {
	char name[CONFIG_NAME_MAX];
	char kernel[SPEC_FILE_MAX], ramdisk[SPEC_FILE_MAX];
	char command[SPEC_COMMAND_MAX];
	uint64_t memory_bytes;
	uint32_t vcpus;
	/* Of one CPU. The first is its weight too: as long as all weights add
	 * up to no more than the CPUs, each gets what it has reserved. */
	uint32_t cpu_reservation_permille, cpu_cap_permille; /* cap 0: none */
	enum end_action on_poweroff, on_reboot, on_crash;
	unsigned int disk_count, nic_count, label_count;
	struct disk_spec disks[CONFIG_DISKS_MAX];
	struct nic_spec nics[CONFIG_VIFS_MAX];
	struct label labels[SPEC_LABELS_MAX];
};

void domain_spec_default(struct domain_spec *s);
/* Adds what is wrong, brings addresses into their usual form. */
void domain_spec_check(struct domain_spec *s, struct violations *v);

const char *end_action_word(enum end_action a);
bool end_action_parse(enum end_action *out, const char *word);

/* Whether a label's key is one; a value may be empty. */
bool label_key_valid(const char *key);
bool label_value_valid(const char *value);
/* Names of tenants and domains: letters, digits, . _ - */
bool name_valid(const char *name, unsigned int length_max);

#endif
