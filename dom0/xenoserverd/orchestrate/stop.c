// SPDX-License-Identifier: Apache-2.0
/*
 * See worker.h: the node's start and its stop. To stop is nothing but
 * operations in the node's own name, one for each domain that is up, until none
 * is. It is in the store that the node is to stop, so a process that is killed
 * while it does is followed by one that goes on with it.
 */
#include <string.h>

#include "orchestrate/worker.h"
#include "store/domain_rows.h"
#include "store/event_rows.h"
#include "store/node_rows.h"
#include "store/operation_rows.h"
#include "util/clock.h"
#include "util/log.h"

/* Guests have no longer than that, all together. */
#define STOP_TIMEOUT_MS 60000
/* Whoever has asked for it gets the answer. */
#define STOP_AFTER_MS 500

static int learn_stopping(struct worker *w, int64_t *since_wall_ms,
			  struct error *err)
{
	if (node_stopping(w->db, since_wall_ms, err))
		return -1;
	w->stopping = *since_wall_ms;
	if (w->stopping && w->options.end_timeout_ms > STOP_TIMEOUT_MS)
		w->options.end_timeout_ms = STOP_TIMEOUT_MS;
	return 0;
}

int worker_begin_boot(struct worker *w, const char *boot, struct error *err)
{
	struct event e = { .type = "node.started", .actor = "node" };
	int64_t since_wall_ms;
	int new;

	if (db_begin(w->db, err))
		return -1;
	new = node_started(w->db, boot, err);
	if (new < 0 || (new &&event_add(w->db, &e, err)) ||
	    db_commit(w->db, err)) {
		db_rollback(w->db);
		return -1;
	}
	if (new)
		log_info("op=node.started boot=%s", boot);
	return learn_stopping(w, &since_wall_ms, err);
}

/* One that is paused cannot end by itself, and did not run. */
static int stop_domain(struct worker *w, const char *id, int64_t since_wall_ms,
		       struct error *err)
{
	struct operation open;
	struct domain d;
	bool ask;

	if (operation_open(w->db, id, &open, err) == 0)
		return 0;
	if (err->code != ERR_NOT_FOUND || domain_find(w->db, NULL, id, &d, err))
		return -1;
	ask = d.state == DOMAIN_RUNNING &&
	      wall_now_ms() - since_wall_ms <= w->options.end_timeout_ms;
	return commit_node_operation(w, &d,
				     ask ? ACTION_SHUTDOWN : ACTION_DESTROY,
				     d.state == DOMAIN_RUNNING, err);
}

int worker_stop(struct worker *w, bool *stopped, struct error *err)
{
	struct operation queued;
	char id[ID_MAX] = "";
	int64_t since_wall_ms;
	int more, rc = 0;

	*stopped = false;
	if (learn_stopping(w, &since_wall_ms, err))
		return -1;
	if (!w->stopping)
		return 0;
	*stopped = wall_now_ms() - since_wall_ms >= STOP_AFTER_MS;
	while ((more = domain_next_up(w->db, id, id, err)) == 1 && rc == 0) {
		*stopped = false;
		rc = stop_domain(w, id, since_wall_ms, err);
	}
	if (more < 0 || rc)
		return -1;
	more = operation_next(w->db, &queued, err);
	if (more)
		*stopped = false;
	return more < 0 ? -1 : 0;
}
