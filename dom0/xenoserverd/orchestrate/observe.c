// SPDX-License-Identifier: Apache-2.0
/*
 * See worker.h. At a start, and whenever the machine says that something has
 * ended: the domains of the store and those of the machine are laid side by
 * side. Domains that an operation is about to deal with are passed over until
 * it has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrate/worker.h"
#include "store/domain_rows.h"
#include "store/node_rows.h"
#include "store/operation_rows.h"
#include "util/clock.h"
#include "util/log.h"

/* A domain that ends sooner than that after its start would do it again. */
#define RESTART_AFTER_MS 2000

struct facts {
	struct machine_domain *list; /* sorted by handle */
	size_t count, room;
};

struct names {
	char (*list)[ID_MAX];
	size_t count, room;
};

static int grow(void **list, size_t count, size_t *room, size_t size,
		struct error *err)
{
	size_t more = *room ? *room * 2 : 64;
	void *new;

	if (count < *room)
		return 0;
	new = reallocarray(*list, more, size);
	if (!new)
		return error_set(err, ERR_SYSTEM, "no memory");
	*list = new;
	*room = more;
	return 0;
}

static int add_fact(void *context, const struct machine_domain *d,
		    struct error *err)
{
	struct facts *f = context;

	if (grow((void **)&f->list, f->count, &f->room, sizeof(*f->list), err))
		return -1;
	f->list[f->count++] = *d;
	return 0;
}

static int add_name(void *context, const struct domain *d, struct error *err)
{
	struct names *n = context;

	if (grow((void **)&n->list, n->count, &n->room, sizeof(*n->list), err))
		return -1;
	memcpy(n->list[n->count++], d->id, ID_MAX);
	return 0;
}

static int by_handle(const void *a, const void *b)
{
	return strcmp(((const struct machine_domain *)a)->handle,
		      ((const struct machine_domain *)b)->handle);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static enum end_action action_for(const struct domain *d,
				  enum machine_state state,
				  const struct operation *waiting)
{
	enum end_action a = d->spec.on_crash;

	if (state == MACHINE_ENDED_POWEROFF)
		a = d->spec.on_poweroff;
	else if (state == MACHINE_ENDED_REBOOT)
		a = d->spec.on_reboot;
	/* Who was asked to shut down stays down. */
	if (waiting && waiting->action == ACTION_SHUTDOWN && a == END_RESTART)
		return END_DESTROY;
	if (!waiting && a == END_RESTART &&
	    wall_now_ms() - d->started_wall_ms < RESTART_AFTER_MS)
		return END_PRESERVE;
	return a;
}

static int end_waiting(struct worker *w, struct operation *o, struct domain *d,
		       enum domain_state state, enum machine_state how,
		       struct error *err)
{
	if (o->action == ACTION_REBOOT && how != MACHINE_ENDED_REBOOT)
		return commit_failure(w, o, d, state, "guest-ended",
				      "the guest ended instead of rebooting",
				      err);
	return commit_success(w, o, d, state, err);
}

static void destroy(struct worker *w, const char *handle)
{
	struct machine *m = w->machine;
	struct error why;

	if (m->destroy(m->self, handle, &why))
		log_failure("op=domain.destroy domain=%s message=\"%s\"",
			    handle, why.message);
}

static int commit_facts(struct worker *w, struct domain *d,
			enum machine_state how, struct operation *waiting,
			bool restart, struct error *err)
{
	enum domain_state state =
		how == MACHINE_ENDED_CRASH ? DOMAIN_CRASHED : DOMAIN_STOPPED;

	if (!waiting)
		return commit_fact(w, d, state, restart, err);
	if (waiting->action == ACTION_REBOOT && how == MACHINE_ENDED_REBOOT)
		return commit_rebuild(w, waiting, d, err);
	return end_waiting(w, waiting, d, state, how, err);
}

/* waiting: the operation that has asked it to end, or NULL. A row without a
 * number says that nothing of it is to be left in the machine, so that it comes
 * to that also if this process ends in between. */
static int ended(struct worker *w, struct domain *d,
		 const struct machine_domain *fact, struct operation *waiting,
		 struct error *err)
{
	enum end_action a = action_for(d, fact->state, waiting);
	struct machine *m = w->machine;

	snprintf(d->reason, sizeof(d->reason), "%s",
		 fact->state == MACHINE_ENDED_CRASH ? fact->reason
		 : fact->state == MACHINE_ENDED_REBOOT
			 ? "the guest rebooted"
			 : "the guest powered off");
	if (a != END_PRESERVE)
		d->number = 0;
	/* From now on its meters show the same, until it is gone. */
	if (m->halt(m->self, d->id, err) && err->code != ERR_NOT_FOUND)
		return -1;
	if (metering_sample(w->metering, d->id, err))
		return -1;
	if (commit_facts(w, d, fact->state, waiting, a == END_RESTART, err))
		return -1;
	if (a == END_DESTROY)
		destroy(w, d->id);
	return 0;
}

/* It should be there, and is not. again: because the node was started anew. */
static int gone(struct worker *w, struct domain *d, struct operation *waiting,
		bool again, struct error *err)
{
	d->number = 0;
	snprintf(d->reason, sizeof(d->reason), "%s",
		 again ? "the node was started anew"
		       : "it was gone when the node looked");
	return metering_sample(w->metering, d->id, err) ||
			       commit_facts(w, d,
					    again ? MACHINE_ENDED_REBOOT
						  : MACHINE_ENDED_POWEROFF,
					    waiting, again, err)
		       ? -1
		       : 0;
}

static bool alive(enum domain_state s)
{
	return s == DOMAIN_RUNNING || s == DOMAIN_PAUSED ||
	       s == DOMAIN_SHUTTING_DOWN;
}

/* The machine has no such domain. */
static int compare_nothing(struct worker *w, struct domain *d,
			   struct operation *waiting, struct error *err)
{
	int again = w->stopping ? 0 : restart_wanted(w->db, d->id, err);

	if (again < 0)
		return -1;
	if (alive(d->state) || d->state == DOMAIN_BUILDING)
		return gone(w, d, waiting, again, err);
	return again ? commit_node_operation(w, d, ACTION_START, false, err)
		     : 0;
}

/* fact NULL: the machine has no such domain. */
static int compare(struct worker *w, struct domain *d,
		   const struct machine_domain *fact, struct operation *waiting,
		   struct error *err)
{
	enum domain_state is;

	if (!fact)
		return compare_nothing(w, d, waiting, err);
	if (fact->state > MACHINE_PAUSED && alive(d->state))
		return ended(w, d, fact, waiting, err);
	if (fact->state > MACHINE_PAUSED) {
		if (!d->number)
			destroy(w, d->id);
		return 0;
	}
	/* What is left of one that could not be destroyed. */
	if (!alive(d->state) && d->state != DOMAIN_BUILDING && !d->number) {
		destroy(w, d->id);
		return 0;
	}
	is = fact->state == MACHINE_PAUSED ? DOMAIN_PAUSED : DOMAIN_RUNNING;
	if (d->state == is || waiting)
		return 0;
	if (metering_sample(w->metering, d->id, err))
		return -1;
	d->number = fact->number;
	snprintf(d->reason, sizeof(d->reason), "found to be so");
	/* Only what runs follows being at rest or being built. */
	return commit_fact(w, d, alive(d->state) ? is : DOMAIN_RUNNING, false,
			   err);
}

static int look_at(struct worker *w, const char *id, const struct facts *f,
		   struct error *err)
{
	struct machine_domain key;
	struct operation open;
	struct domain d;
	bool waits = false;

	if (operation_open(w->db, id, &open, err) == 0) {
		waits = open.deadline_wall_ms;
		if (!waits) {
			w->look_again = true;
			return 0;
		}
	} else if (err->code != ERR_NOT_FOUND) {
		return -1;
	}
	if (domain_find(w->db, NULL, id, &d, err))
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	memcpy(key.handle, id, sizeof(key.handle));
	return compare(w, &d,
		       f->count ? bsearch(&key, f->list, f->count, sizeof(key),
					  by_handle)
				: NULL,
		       waits ? &open : NULL, err);
}

/* What runs without a row was never acknowledged, or is what a deletion has
 * left. */
static void clear_orphans(struct worker *w, const struct facts *f,
			  const struct names *n)
{
	for (size_t i = 0; i < f->count; i++) {
		const char *handle = f->list[i].handle;

		if (n->count && bsearch(handle, n->list, n->count,
					sizeof(*n->list), by_name))
			continue;
		log_warning("op=domain.orphan domain=%s", handle);
		destroy(w, handle);
	}
}

int worker_observe(struct worker *w, struct error *err)
{
	const struct domain_filter all = { .limit = INT64_MAX };
	struct facts f = { .count = 0 };
	struct names n = { .count = 0 };
	/* The machine first: a domain that is started meanwhile has a row. */
	int rc = w->machine->list(w->machine->self, add_fact, &f, err) ||
				 domain_list(w->db, &all, add_name, &n, err)
			 ? -1
			 : 0;

	w->look_again = false;
	if (f.count)
		qsort(f.list, f.count, sizeof(*f.list), by_handle);
	if (rc == 0)
		clear_orphans(w, &f, &n);
	for (size_t i = 0; rc == 0 && i < n.count; i++) {
		rc = look_at(w, n.list[i], &f, err);
		/* Somebody has asked something of it meanwhile. */
		if (rc && err->code == ERR_BUSY) {
			w->look_again = true;
			rc = 0;
		}
	}
	free(f.list);
	free(n.list);
	return rc;
}
