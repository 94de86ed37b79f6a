/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the worker share: they run in its thread. Private to this
 * room. */
#ifndef ORCHESTRATE_WORKER_H
#define ORCHESTRATE_WORKER_H

#include "metering/metering.h"
#include "orchestrate/orchestration.h"
#include "store/db.h"

struct worker {
	struct db *db;
	struct orchestration_options options;
	struct machine *machine;
	struct metering *metering;
	bool look_again; /* something was passed over that is to be seen */
	bool stopping;   /* the node does: nothing is started any more */
};

/* Both -1 only if the store or the machine's list fails: then what there is has
 * to be reconciled anew. */

/* perform.c: one operation, to its end or until it waits. */
int worker_perform(struct worker *w, struct operation *o, struct error *err);
/* One whose guest has not reacted in time. */
int worker_give_up(struct worker *w, struct operation *o, struct error *err);

/* observe.c: what runs is compared with what should, and facts win. */
int worker_observe(struct worker *w, struct error *err);

/* stop.c: which start of the node this is. After a new one, what ran before is
 * started again. */
int worker_begin_boot(struct worker *w, const char *boot, struct error *err);
/* If the node is to stop, queues what leads there; *stopped: nothing is up any
 * more. */
int worker_stop(struct worker *w, bool *stopped, struct error *err);

/* commit.c: transactions that change a domain and an operation and tell of it.
 * d and o are what they shall become. */

/* Enters the act; the domain gets that state. */
int commit_begin(struct worker *w, struct operation *o, struct domain *d,
		 const char *act, enum domain_state state, struct error *err);
/* The act is done, and another one comes. */
int commit_act(struct worker *w, struct operation *o, struct error *err);
/* The act is done: its volumes are there. */
int commit_volumes(struct worker *w, struct operation *o, struct domain *d,
		   struct error *err);
/* It stands still, and nothing of it is to be left in the machine. */
int commit_end(struct worker *w, struct operation *o, struct domain *d,
	       struct error *err);
/* What the machine has of it has ended, and goes: its last readings. */
int commit_settlement(struct worker *w, const struct domain *d,
		      struct error *err);
/* The operation has succeeded. */
int commit_success(struct worker *w, struct operation *o, struct domain *d,
		   enum domain_state state, struct error *err);
/* It has failed, with a code for programs and why for people. */
int commit_failure(struct worker *w, struct operation *o, struct domain *d,
		   enum domain_state state, const char *code, const char *why,
		   struct error *err);
/* It waits for its guest now. */
int commit_waiting(struct worker *w, struct operation *o, struct error *err);
/* The domain has a new state, and d->reason, of its own accord; restart: an
 * operation that starts it again is queued with it. */
int commit_fact(struct worker *w, struct domain *d, enum domain_state state,
		bool restart, struct error *err);
/* Queues an operation of the node's own; again: and the domain is to be started
 * again after the node's next start. */
int commit_node_operation(struct worker *w, const struct domain *d,
			  enum domain_action action, bool again,
			  struct error *err);
/* The second half of a reboot: the guest has ended, and is to be built again.
 */
int commit_rebuild(struct worker *w, struct operation *o, struct domain *d,
		   struct error *err);

#endif
