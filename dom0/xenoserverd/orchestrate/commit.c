// SPDX-License-Identifier: Apache-2.0
/* See worker.h. */
#include <stdio.h>
#include <string.h>

#include "orchestrate/requests.h"
#include "orchestrate/worker.h"
#include "store/domain_rows.h"
#include "store/node_rows.h"
#include "store/operation_rows.h"
#include "util/clock.h"
#include "util/log.h"

static int end(struct worker *w, int rc, struct error *err)
{
	if (rc || db_commit(w->db, err)) {
		db_rollback(w->db);
		return -1;
	}
	if (w->options.changed)
		w->options.changed(w->options.changed_context);
	return 0;
}

/* Nothing is written if it is as it should be already. */
static int enter_state(struct worker *w, struct operation *o, struct domain *d,
		       enum domain_state state, struct error *err)
{
	enum domain_state from = d->state;

	d->state = state;
	if (domain_save(w->db, d, err))
		return -1;
	if (from == state)
		return 0;
	if (!domain_may_become(from, state))
		return error_set(err, ERR_SYSTEM, "%s: from %s to %s", d->id,
				 domain_state_word(from),
				 domain_state_word(state));
	return metering_follow(w->metering, d, from, err) ||
			       announce_domain(w->db, d, o, err)
		       ? -1
		       : 0;
}

int commit_begin(struct worker *w, struct operation *o, struct domain *d,
		 const char *act, enum domain_state state, struct error *err)
{
	int rc = db_begin(w->db, err);

	if (rc)
		return -1;
	o->state = OPERATION_RUNNING;
	if (!o->started_wall_ms)
		o->started_wall_ms = wall_now_ms();
	if (d->state != state)
		*d->reason = '\0';
	rc = operation_save(w->db, o, err) ||
	     journal_begin(w->db, o->id, act, err) ||
	     (d->state != state && enter_state(w, o, d, state, err));
	return end(w, rc, err);
}

int commit_act(struct worker *w, struct operation *o, struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	return end(w, journal_end(w->db, o->id, "done", err), err);
}

int commit_volumes(struct worker *w, struct operation *o, struct domain *d,
		   struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	return end(w,
		   journal_end(w->db, o->id, "done", err) ||
			   metering_volumes(w->metering, d, err),
		   err);
}

int commit_end(struct worker *w, struct operation *o, struct domain *d,
	       struct error *err)
{
	d->number = 0;
	*d->reason = '\0';
	if (db_begin(w->db, err))
		return -1;
	return end(w, enter_state(w, o, d, DOMAIN_STOPPED, err), err);
}

int commit_settlement(struct worker *w, const struct domain *d,
		      struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	return end(w, metering_settle(w->metering, d, err), err);
}

static int finish(struct worker *w, struct operation *o, struct domain *d,
		  enum domain_state state, struct error *err)
{
	const char *word = operation_state_word(o->state);

	o->finished_wall_ms = wall_now_ms();
	o->deadline_wall_ms = 0;
	log_info(
		"op=domain.%s operation=%s domain=%s outcome=%s problem=%s request=%s ms=%lld",
		domain_action_word(o->action), o->id, d->id, word,
		*o->problem_code ? o->problem_code : "none", o->request_id,
		(long long)(o->finished_wall_ms - o->created_wall_ms));
	return journal_end(w->db, o->id, word, err) ||
	       operation_save(w->db, o, err) ||
	       enter_state(w, o, d, state, err) ||
	       (state == DOMAIN_DESTROYED &&
		domain_release(w->db, d->id, err)) ||
	       announce_operation(w->db, o, err);
}

int commit_success(struct worker *w, struct operation *o, struct domain *d,
		   enum domain_state state, struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	o->state = OPERATION_SUCCEEDED;
	return end(w, finish(w, o, d, state, err), err);
}

int commit_failure(struct worker *w, struct operation *o, struct domain *d,
		   enum domain_state state, const char *code, const char *why,
		   struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	o->state = OPERATION_FAILED;
	snprintf(o->problem_code, sizeof(o->problem_code), "%s", code);
	snprintf(o->problem, sizeof(o->problem), "%s", why);
	return end(w, finish(w, o, d, state, err), err);
}

int commit_waiting(struct worker *w, struct operation *o, struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	o->deadline_wall_ms = wall_now_ms() + w->options.end_timeout_ms;
	return end(w,
		   journal_end(w->db, o->id, "done", err) ||
			   operation_save(w->db, o, err),
		   err);
}

static int queue(struct worker *w, const struct domain *d,
		 enum domain_action action, struct error *err)
{
	struct operation o = { .action = action,
			       .state = OPERATION_QUEUED,
			       .from_state = d->state,
			       .actor = "node",
			       .created_wall_ms = wall_now_ms() };

	id_make(o.id, "op");
	memcpy(o.domain_id, d->id, sizeof(o.domain_id));
	memcpy(o.tenant, d->tenant, sizeof(o.tenant));
	return operation_insert(w->db, &o, err);
}

/* Then it need not be started once more. */
static int queue_start(struct worker *w, const struct domain *d,
		       struct error *err)
{
	return restart_remove(w->db, d->id, err) ||
			       queue(w, d, ACTION_START, err)
		       ? -1
		       : 0;
}

int commit_node_operation(struct worker *w, const struct domain *d,
			  enum domain_action action, bool again,
			  struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	return end(w,
		   action == ACTION_START
			   ? queue_start(w, d, err)
			   : queue(w, d, action, err) ||
				     (again && restart_add(w->db, d->id, err)),
		   err);
}

int commit_fact(struct worker *w, struct domain *d, enum domain_state state,
		bool restart, struct error *err)
{
	int rc;

	if (db_begin(w->db, err))
		return -1;
	log_info("op=domain.fact domain=%s state=%s reason=\"%s\"", d->id,
		 domain_state_word(state), d->reason);
	rc = enter_state(w, NULL, d, state, err);
	if (rc == 0 && restart)
		rc = w->stopping ? restart_add(w->db, d->id, err)
				 : queue_start(w, d, err);
	return end(w, rc, err);
}

int commit_rebuild(struct worker *w, struct operation *o, struct domain *d,
		   struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	o->deadline_wall_ms = 0;
	o->state = OPERATION_QUEUED;
	o->starts = true;
	return end(w,
		   operation_save(w->db, o, err) ||
			   restart_remove(w->db, d->id, err) ||
			   enter_state(w, o, d, DOMAIN_STOPPED, err),
		   err);
}
