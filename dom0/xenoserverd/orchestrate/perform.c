// SPDX-License-Identifier: Apache-2.0
/*
 * See worker.h. An operation that was cut short is performed again from its
 * start: each act finds out what was done already, or does it again. What fails
 * is undone in reverse.
 */
#include <string.h>

#include "orchestrate/worker.h"
#include "store/domain_rows.h"
#include "util/clock.h"
#include "util/log.h"

/* A domain that the machine has already is not built a second time. */
struct search {
	const char *handle;
	struct machine_domain found; /* its handle is "" if it was not */
};

static int compare(void *context, const struct machine_domain *d,
		   struct error *err)
{
	struct search *s = context;

	(void)err;
	if (strcmp(d->handle, s->handle) == 0)
		s->found = *d;
	return 0;
}

static int build(struct worker *w, struct domain *d, struct error *why)
{
	struct machine *m = w->machine;
	struct search s = { .handle = d->id };
	struct error no_sample;

	if (m->list(m->self, compare, &s, why))
		return -1;
	if (*s.found.handle && s.found.state <= MACHINE_PAUSED) {
		d->number = s.found.number;
		return metering_sample(w->metering, d->id, why);
	}
	/* One that has ended and was kept, or that had been built by an earlier
	 * process which could not say so. */
	if (*s.found.handle &&
	    (m->halt(m->self, d->id, why) ||
	     metering_sample(w->metering, d->id, why) ||
	     commit_settlement(w, d, why) || m->destroy(m->self, d->id, why)))
		return -1;
	if (m->start(m->self, d->id, &d->spec, &d->number, why))
		return -1;
	/* When it was built; without it, it is metered from a moment later. */
	if (metering_sample(w->metering, d->id, &no_sample))
		log_warning("op=metering.sample domain=%s message=\"%s\"",
			    d->id, no_sample.message);
	return 0;
}

static int start(struct worker *w, struct operation *o, struct domain *d,
		 struct error *err)
{
	struct error why;

	if (commit_begin(w, o, d, "build", DOMAIN_BUILDING, err))
		return -1;
	if (build(w, d, &why)) {
		d->number = 0;
		return commit_failure(w, o, d,
				      o->from_state == DOMAIN_RUNNING
					      ? DOMAIN_STOPPED
					      : o->from_state,
				      error_word(why.code), why.message, err);
	}
	d->started_wall_ms = wall_now_ms();
	return commit_success(w, o, d, DOMAIN_RUNNING, err);
}

static int remove_volumes(struct worker *w, const struct domain *d,
			  struct error *why)
{
	struct machine *m = w->machine;
	int rc = 0;

	for (unsigned int i = 0; i < d->spec.disk_count; i++)
		if (!*d->spec.disks[i].volume &&
		    m->volume_remove(m->self, d->id, d->spec.disks[i].device,
				     why))
			rc = -1;
	return rc;
}

/* Nothing remains of a domain that could not be made. */
static int undo_create(struct worker *w, struct operation *o, struct domain *d,
		       const struct error *why, struct error *err)
{
	struct error ignored;

	if (remove_volumes(w, d, &ignored))
		log_failure("op=volumes.remove domain=%s message=\"%s\"", d->id,
			    ignored.message);
	w->machine->console_forget(w->machine->self, d->id);
	d->number = 0;
	return commit_failure(w, o, d, DOMAIN_DESTROYED, error_word(why->code),
			      why->message, err);
}

static int create(struct worker *w, struct operation *o, struct domain *d,
		  struct error *err)
{
	struct machine *m = w->machine;
	struct error why;

	if (commit_begin(w, o, d, "volumes", d->state, err))
		return -1;
	for (unsigned int i = 0; i < d->spec.disk_count; i++)
		if (!*d->spec.disks[i].volume &&
		    m->volume_create(m->self, d->id, &d->spec.disks[i], &why))
			return undo_create(w, o, d, &why, err);
	if (commit_volumes(w, o, d, err))
		return -1;
	if (!o->starts)
		return commit_success(w, o, d, DOMAIN_DEFINED, err);
	if (commit_begin(w, o, d, "build", DOMAIN_BUILDING, err))
		return -1;
	if (build(w, d, &why))
		return undo_create(w, o, d, &why, err);
	d->started_wall_ms = wall_now_ms();
	return commit_success(w, o, d, DOMAIN_RUNNING, err);
}

/* An act of the machine that leads to a state. */
static int act(struct worker *w, struct operation *o, struct domain *d,
	       int (*function)(void *self, const char *handle,
			       struct error *err),
	       enum domain_state state, struct error *err)
{
	struct error why;

	if (commit_begin(w, o, d, domain_action_word(o->action), d->state, err))
		return -1;
	if (function(w->machine->self, d->id, &why))
		return commit_failure(w, o, d, d->state, error_word(why.code),
				      why.message, err);
	return commit_success(w, o, d, state, err);
}

static int pause(struct worker *w, struct operation *o, struct domain *d,
		 struct error *err)
{
	return act(w, o, d, w->machine->pause, DOMAIN_PAUSED, err);
}

static int resume(struct worker *w, struct operation *o, struct domain *d,
		  struct error *err)
{
	return act(w, o, d, w->machine->resume, DOMAIN_RUNNING, err);
}

static int destroy(struct worker *w, struct operation *o, struct domain *d,
		   struct error *err)
{
	struct machine *m = w->machine;
	struct error why;

	if (commit_begin(w, o, d, "destroy", d->state, err))
		return -1;
	/* Its last readings are written down while it is still there, so that
	 * they are not lost whatever happens to this process. */
	if (m->halt(m->self, d->id, &why) && why.code != ERR_NOT_FOUND)
		return commit_failure(w, o, d, d->state, error_word(why.code),
				      why.message, err);
	if (metering_sample(w->metering, d->id, err) ||
	    commit_end(w, o, d, err))
		return -1;
	if (m->destroy(m->self, d->id, &why))
		return commit_failure(w, o, d, d->state, error_word(why.code),
				      why.message, err);
	return commit_success(w, o, d, DOMAIN_STOPPED, err);
}

static int ask_to_end(struct worker *w, struct operation *o, struct domain *d,
		      struct error *err)
{
	struct machine *m = w->machine;
	struct error why;

	/* Its second half. */
	if (o->starts)
		return start(w, o, d, err);
	if (commit_begin(w, o, d, "ask", DOMAIN_SHUTTING_DOWN, err))
		return -1;
	if (m->ask_to_end(m->self, d->id, o->action == ACTION_REBOOT, &why))
		return commit_failure(w, o, d, DOMAIN_RUNNING,
				      error_word(why.code), why.message, err);
	return commit_waiting(w, o, err);
}

static int update(struct worker *w, struct operation *o, struct domain *d,
		  struct error *err)
{
	struct machine *m = w->machine;
	struct error why;

	if (commit_begin(w, o, d, "configure", d->state, err))
		return -1;
	if ((d->state == DOMAIN_RUNNING || d->state == DOMAIN_PAUSED) &&
	    m->configure(m->self, d->id, &d->spec, &why))
		return commit_failure(w, o, d, d->state, error_word(why.code),
				      why.message, err);
	return commit_success(w, o, d, d->state, err);
}

static int delete (struct worker *w, struct operation *o, struct domain *d,
		   struct error *err)
{
	struct machine *m = w->machine;
	struct error why;

	if (commit_begin(w, o, d, "remove", d->state, err))
		return -1;
	if (m->destroy(m->self, d->id, &why) || remove_volumes(w, d, &why))
		return commit_failure(w, o, d, d->state, error_word(why.code),
				      why.message, err);
	m->console_forget(m->self, d->id);
	d->number = 0;
	return commit_success(w, o, d, DOMAIN_DESTROYED, err);
}

#define BIT(s) (1U << DOMAIN_##s)

static const struct {
	int (*perform)(struct worker *w, struct operation *o, struct domain *d,
		       struct error *err);
	/* States in which it still makes sense: those in which it may be asked
	 * for, and those in which it may have been cut short. */
	unsigned int sensible_in;
} actions[DOMAIN_ACTIONS] = {
	[ACTION_CREATE] = { create, BIT(DEFINED) | BIT(BUILDING) },
	[ACTION_START] = { start, BIT(DEFINED) | BIT(BUILDING) | BIT(STOPPED) |
					  BIT(CRASHED) },
	[ACTION_PAUSE] = { pause, BIT(RUNNING) },
	[ACTION_RESUME] = { resume, BIT(PAUSED) },
	[ACTION_SHUTDOWN] = { ask_to_end, BIT(RUNNING) | BIT(SHUTTING_DOWN) },
	[ACTION_REBOOT] = { ask_to_end, BIT(RUNNING) | BIT(SHUTTING_DOWN) |
						BIT(STOPPED) | BIT(BUILDING) },
	[ACTION_DESTROY] = { destroy, BIT(RUNNING) | BIT(PAUSED) |
					      BIT(SHUTTING_DOWN) |
					      BIT(STOPPED) | BIT(CRASHED) },
	[ACTION_UPDATE] = { update, BIT(DEFINED) | BIT(RUNNING) | BIT(PAUSED) |
					    BIT(STOPPED) | BIT(CRASHED) },
	[ACTION_DELETE] = { delete,
			    BIT(DEFINED) | BIT(STOPPED) | BIT(CRASHED) },
};

int worker_perform(struct worker *w, struct operation *o, struct error *err)
{
	struct domain d;

	if (domain_find(w->db, NULL, o->domain_id, &d, err))
		return -1;
	if (!(actions[o->action].sensible_in & 1U << d.state)) {
		struct error why;

		error_fill(&why, ERR_BUSY, "the domain is %s meanwhile",
			   domain_state_word(d.state));
		return commit_failure(w, o, &d, d.state, "state", why.message,
				      err);
	}
	return actions[o->action].perform(w, o, &d, err);
}

int worker_give_up(struct worker *w, struct operation *o, struct error *err)
{
	struct domain d;

	if (domain_find(w->db, NULL, o->domain_id, &d, err))
		return -1;
	return commit_failure(w, o, &d,
			      d.state == DOMAIN_SHUTTING_DOWN ? DOMAIN_RUNNING
							      : d.state,
			      "guest-did-not-react",
			      "the guest did not end in time; destroy ends it "
			      "without asking",
			      err);
}
