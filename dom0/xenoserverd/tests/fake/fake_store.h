/* SPDX-License-Identifier: Apache-2.0 */
/* A xenstore of a few nodes, without events: tests call what follows. */
#ifndef FAKE_STORE_H
#define FAKE_STORE_H

#include "xenstore/store.h"

#define FAKE_NODES_MAX 128

struct store {
	unsigned int count;
	int watches;
	struct {
		char path[STORE_PATH_MAX + 64];
		char value[STORE_PATH_MAX];
		uint32_t owner, reader;
	} nodes[FAKE_NODES_MAX];
};

/* NULL: no such node. */
const char *fake_value(struct store *s, const char *path);
/* 9999: no such node. */
uint32_t fake_owner(struct store *s, const char *path);

#endif
