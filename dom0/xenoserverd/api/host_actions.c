// SPDX-License-Identifier: Apache-2.0
/* /v1/host/actions/{}: "shutdown" stops all domains and then the node. It is
 * written down, so it happens; who asks again hears the same. */
#include <stdio.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"
#include "store/event_rows.h"
#include "store/node_rows.h"
#include "util/clock.h"

static int announce(struct request *r, struct error *err)
{
	struct event e = { .type = "node.stopping" };

	snprintf(e.actor, sizeof(e.actor), "%s", r->caller.actor);
	snprintf(e.request_id, sizeof(e.request_id), "%s", r->id);
	return event_add(r->db, &e, err);
}

void host_act(struct request *r, struct answer *a)
{
	int64_t since_wall_ms;
	struct error err;

	if (strcmp(r->words[0], "shutdown") != 0) {
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL,
			       "a node has the action shutdown");
		return;
	}
	if (node_stopping(r->db, &since_wall_ms, &err) ||
	    (!since_wall_ms &&
	     (node_stop(r->db, wall_now_ms(), &err) || announce(r, &err))))
		answer_error(r, a, &err);
	else
		answer_json(a, 202, json_pack("{ss}", "status", "stopping"));
}
