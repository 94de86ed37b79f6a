/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What orchestration needs of a machine that runs domains: few acts, each of
 * which can be repeated. A domain is known by its handle, the id of its row.
 * Calls come from one thread, the worker's, but for those that say otherwise.
 *
 * The machine decides nothing: what has ended stays as it is until it is
 * destroyed, and notify says that something has, from any thread.
 */
#ifndef ORCHESTRATE_MACHINE_H
#define ORCHESTRATE_MACHINE_H

#include <xeno/vif.h>

#include "admission/admission.h"
#include "console/console_log.h"
#include "model/domain.h"
#include "util/error.h"
#include "util/strbuf.h"

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

/* What an interface has carried since its domain started, seen from the domain:
 * tx is what it sent. Drops by enum xeno_drop. */
struct machine_vif {
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	uint64_t tx_drops[XENO_DROPS], rx_drops[XENO_DROPS];
};

struct machine_rule_counter {
	uint64_t packets, bytes;
	bool in_force; /* the domains that it names are there */
};

/* Why rules were refused: which, and by what of it; both 0: by another reason.
 */
struct machine_rule_fault {
	unsigned int line; /* from 1 */
	const char *part;  /* see network/rule_parse.h; NULL: too many rules
			    * from this one on */
};

/* The machine's own clock: it only grows, at its own pace, for as long as the
 * machine runs, which boot names. */
struct machine_clock {
	uint64_t now_ns;
	char boot[BOOT_MAX];
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
	/* Volumes, from several threads, but one for each volume. One that is
	 * there already, with the same size, is kept. */
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

	/* ---- what follows, from any thread ---- */

	/* What is new is zeros. Cut short and repeated, it is done once; what
	 * fails leaves the old size. Of one thread for each volume. */
	int (*volume_grow)(void *self, const char *handle, const char *device,
			   uint64_t old_bytes, uint64_t new_bytes,
			   struct error *err);
	/* A socket: what the console has said lately and says comes out, and
	 * what goes in is typed. It ends with the domain. ERR_NOT_FOUND: there
	 * is no console now; ERR_BUSY: there are enough who watch. */
	int (*console_open)(void *self, const char *handle, int *fd,
			    struct error *err);
	/* See console/console_log.h. ERR_UNSUPPORTED: there are no logs. */
	int (*console_log)(void *self, const char *handle,
			   struct console_part *p, char *out,
			   struct error *err);
	/* Its log is nobody's any more. */
	void (*console_forget)(void *self, const char *handle);
	/* Of a domain that is there; out has room for all that it may have. */
	int (*vif_counters)(void *self, const char *handle,
			    struct machine_vif out[CONFIG_VIFS_MAX],
			    struct error *err);
	/* The rules of the firewall-router, as network/rule_parse.h reads them,
	 * replaced whole or not at all. */
	int (*rules_set)(void *self, const char *text,
			 struct machine_rule_fault *fault, struct error *err);
	/* The text that was set last; "" if there is none. */
	int (*rules_text)(void *self, struct strbuf *out, struct error *err);
	/* How many of at most most; -1: failed. */
	int (*rules_counters)(void *self, struct machine_rule_counter *out,
			      uint32_t most, struct error *err);

	/* Set by the orchestration before its first call. */
	void (*notify)(void *context);
	void *notify_context;
};

#endif
