/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a domain besides its devices', with the permissions that its
 * kernel expects. */
#ifndef XENSTORE_DOMAIN_NODES_H
#define XENSTORE_DOMAIN_NODES_H

#include "xenstore/store.h"

struct domain_nodes {
	uint32_t id;
	const char *name;
	uint64_t memory_kib, max_memory_kib;
	uint32_t vcpus;
	uint64_t store_frame, console_frame;
	uint32_t store_port, console_port;
};

/* Domain 0's own, once after the daemon has started. */
int domain0_nodes_write(struct store *s, struct error *err);
/* And tells the xenstore daemon of the domain. */
int domain_nodes_write(struct store *s, const struct domain_nodes *n,
		       struct error *err);
void domain_nodes_remove(struct store *s, uint32_t id);

/* What the domain is asked to do: "poweroff", "reboot". */
int domain_nodes_shutdown(struct store *s, uint32_t id, const char *how,
			  struct error *err);
int domain_nodes_set_target(struct store *s, uint32_t id, uint64_t memory_kib,
			    struct error *err);
/* Offers vCPUs 0..count-1 of all, and asks to give the others up. */
int domain_nodes_set_vcpus(struct store *s, uint32_t id, uint32_t count,
			   uint32_t all, struct error *err);

#endif
