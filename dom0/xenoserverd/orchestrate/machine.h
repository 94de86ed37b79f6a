/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orchestration needs of a machine that runs domains: few acts, each of
 * which can be repeated. A domain is known by its handle, the id of its row.
 * All calls come from one thread, the worker's.
 *
 * The machine decides nothing: what has ended stays as it is until it is
 * destroyed, and notify says that something has, from any thread.
 */
#ifndef ORCHESTRATE_MACHINE_H
#define ORCHESTRATE_MACHINE_H

#include "admission/admission.h"
#include "model/domain.h"
#include "util/error.h"

enum machine_state {
	MACHINE_RUNNING,
	MACHINE_PAUSED,
	MACHINE_ENDED_POWEROFF,
	MACHINE_ENDED_REBOOT,
	MACHINE_ENDED_CRASH,
};

struct machine_domain {
	char handle[ID_MAX];
	int64_t number;
	enum machine_state state;
	char reason[REASON_MAX]; /* of a crash */
	uint64_t cpu_ns;
};

#define BOOT_MAX 40

/* What the node has. */
struct machine_node {
	uint32_t cpus;
	uint64_t memory_bytes, free_memory_bytes;
	uint64_t pool_bytes;
	/* Another one after each start of the node, which ends all domains. */
	char boot[BOOT_MAX];
};

typedef int (*machine_visit)(void *context, const struct machine_domain *d,
			     struct error *err);

struct machine {
	void *self;
	int (*node)(void *self, struct machine_node *out, struct error *err);
	/* Domains that were started here, also by an earlier process. */
	int (*list)(void *self, machine_visit visit, void *context,
		    struct error *err);
	/* One that is there already, with the same size, is kept. */
	int (*volume_create)(void *self, const char *handle,
			     const struct disk_spec *d, struct error *err);
	/* One that is not there is no error. */
	int (*volume_remove)(void *self, const char *handle, const char *device,
			     struct error *err);
	/* Builds it and lets it run. What fails leaves nothing behind. */
	int (*start)(void *self, const char *handle,
		     const struct domain_spec *s, int64_t *number,
		     struct error *err);
	int (*pause)(void *self, const char *handle, struct error *err);
	int (*resume)(void *self, const char *handle, struct error *err);
	/* Asks the guest, which may take its time, or not react at all. */
	int (*ask_to_end)(void *self, const char *handle, bool reboot,
			  struct error *err);
	/* Weight and cap of one that runs. */
	int (*configure)(void *self, const char *handle,
			 const struct domain_spec *s, struct error *err);
	/* Returns when nothing of it is left, but for its volumes. One that is
	 * not there is no error. */
	int (*destroy)(void *self, const char *handle, struct error *err);
	/* Set by the orchestration before its first call. */
	void (*notify)(void *context);
	void *notify_context;
};

#endif
