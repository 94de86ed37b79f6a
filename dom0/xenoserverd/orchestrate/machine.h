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

/* What the node has. */
struct machine_node {
	uint32_t cpus;
	uint64_t memory_bytes, free_memory_bytes;
	uint64_t pool_bytes;
};

/* The machine's own clock: it only grows, at its own pace, for as long as the
 * machine runs, which boot names. */
struct machine_clock {
	uint64_t now_ns;
	char boot[40];
};

struct meter_vbd {
	uint32_t number; /* of the guest ABI: 51712 is xvda */
	uint64_t read_requests, read_bytes;
	uint64_t write_requests, write_bytes;
};

struct meter_vif {
	uint32_t number; /* from 0 */
	uint64_t sent_bytes, received_bytes;
};

/* What a domain has used since it was built. Counters only grow. */
struct machine_meters {
	char handle[ID_MAX];
	int64_t number;
	uint64_t created_ns, at_ns; /* by the machine's clock */
	unsigned int vcpu_count, vbd_count, vif_count;
	uint64_t cpu_ns[CONFIG_VCPUS_MAX];
	struct meter_vbd vbds[CONFIG_DISKS_MAX];
	struct meter_vif vifs[CONFIG_VIFS_MAX];
};

typedef int (*meters_visit)(void *context, const struct machine_meters *m,
			    struct error *err);
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
	int (*clock)(void *self, struct machine_clock *out, struct error *err);
	/* Of one domain, also one that has ended: ERR_NOT_FOUND; or, handle
	 * being NULL, of all. */
	int (*meters)(void *self, const char *handle, meters_visit visit,
		      void *context, struct error *err);
	/* Its vCPUs stand still and its devices are taken away: from then on
	 * its meters show the same until it is destroyed, which is all that
	 * can be done with it. */
	int (*halt)(void *self, const char *handle, struct error *err);
	/* Set by the orchestration before its first call. */
	void (*notify)(void *context);
	void *notify_context;
};

#endif
