// SPDX-License-Identifier: Apache-2.0
/*
 * See domain_nodes.h. A new node has its parent's permissions, so the domain's
 * directory is the domain's while what the domain writes is made in it, and
 * then, before the rest is, what the domain may only read: two calls, not one
 * for each node.
 */
#include "xenstore/domain_nodes.h"

#include <inttypes.h>
#include <stdio.h>

/* Written by the guest's kernel or tools. */
static const char *const owned[] = {
	"control/shutdown",
	"control/sysrq",
	"control/feature-poweroff",
	"control/feature-reboot",
	"control/feature-suspend",
	"data",
	"drivers",
	"feature",
	"attr",
	"error",
};

static void directory_of(char directory[STORE_PATH_MAX], uint32_t id)
{
	snprintf(directory, STORE_PATH_MAX, "/local/domain/%" PRIu32, id);
}

int domain0_nodes_write(struct store *s, struct error *err)
{
	if (store_write(s, "/local/domain/0/name", "Domain-0", err) ||
	    store_write(s, "/local/domain/0/domid", "0", err))
		return -1;
	return 0;
}

int domain_nodes_set_vcpus(struct store *s, uint32_t id, uint32_t count,
			   uint32_t all, struct error *err)
{
	char directory[STORE_PATH_MAX], name[32];

	directory_of(directory, id);
	for (uint32_t i = 0; i < all; i++) {
		snprintf(name, sizeof(name), "cpu/%" PRIu32 "/availability", i);
		if (store_writef(s, directory, name, err, "%s",
				 i < count ? "online" : "offline"))
			return -1;
	}
	return 0;
}

static int write_rings(struct store *s, const char *directory,
		       const struct domain_nodes *n, struct error *err)
{
	if (store_writef(s, directory, "store/port", err, "%" PRIu32,
			 n->store_port) ||
	    store_writef(s, directory, "store/ring-ref", err, "%" PRIu64,
			 n->store_frame) ||
	    store_writef(s, directory, "console/port", err, "%" PRIu32,
			 n->console_port) ||
	    store_writef(s, directory, "console/ring-ref", err, "%" PRIu64,
			 n->console_frame))
		return -1;
	return 0;
}

static int make_owned(struct store *s, const char *directory, uint32_t id,
		      struct error *err)
{
	char path[STORE_PATH_MAX + 32];

	if (store_own(s, directory, id, 0, err))
		return -1;
	for (size_t i = 0; i < sizeof(owned) / sizeof(*owned); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, owned[i]);
		if (store_make(s, path, err))
			return -1;
	}
	snprintf(path, sizeof(path), "%s/control", directory);
	if (store_permit(s, path, 0, id, err))
		return -1;
	return store_permit(s, directory, 0, id, err);
}

static int write_all(struct store *s, const struct domain_nodes *n,
		     struct error *err)
{
	char directory[STORE_PATH_MAX];

	directory_of(directory, n->id);
	if (make_owned(s, directory, n->id, err) ||
	    store_writef(s, directory, "name", err, "%s", n->name) ||
	    store_writef(s, directory, "domid", err, "%" PRIu32, n->id) ||
	    store_writef(s, directory, "memory/static-max", err, "%" PRIu64,
			 n->max_memory_kib) ||
	    store_writef(s, directory, "memory/target", err, "%" PRIu64,
			 n->memory_kib) ||
	    write_rings(s, directory, n, err) ||
	    domain_nodes_set_vcpus(s, n->id, n->vcpus, n->vcpus, err))
		return -1;
	return 0;
}

int domain_nodes_write(struct store *s, const struct domain_nodes *n,
		       struct error *err)
{
	/* Nobody looks before the domain is introduced: no transaction. */
	if (write_all(s, n, err) == 0 &&
	    store_introduce(s, n->id, n->store_frame, n->store_port, err) == 0)
		return 0;
	domain_nodes_remove(s, n->id);
	return -1;
}

void domain_nodes_remove(struct store *s, uint32_t id)
{
	char directory[STORE_PATH_MAX];

	directory_of(directory, id);
	store_release(s, id);
	store_remove(s, directory);
}

int domain_nodes_shutdown(struct store *s, uint32_t id, const char *how,
			  struct error *err)
{
	char directory[STORE_PATH_MAX];

	directory_of(directory, id);
	return store_writef(s, directory, "control/shutdown", err, "%s", how);
}

int domain_nodes_set_target(struct store *s, uint32_t id, uint64_t memory_kib,
			    struct error *err)
{
	char directory[STORE_PATH_MAX];

	directory_of(directory, id);
	return store_writef(s, directory, "memory/target", err, "%" PRIu64,
			    memory_kib);
}
