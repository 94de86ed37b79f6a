// SPDX-License-Identifier: Apache-2.0
/* /v1/operations: what became of what was asked for. */
#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/page.h"
#include "api/problem.h"
#include "api/request.h"
#include "store/operation_rows.h"
#include "util/clock.h"

#define ACTS_MAX 32

static int add(void *context, const struct operation *o, struct error *err)
{
	struct page *p = context;

	(void)err;
	page_add(p, o->id, operation_json(o));
	return 0;
}

void operations_list(struct request *r, struct answer *a)
{
	struct operation_filter f = {
		.tenant = request_tenant(r),
		.domain_id = request_query(r, "domain"),
		.state = request_query(r, "state"),
	};
	enum operation_state state;
	struct page p;
	struct error err;
	int rc;

	if (f.state && !operation_state_parse(&state, f.state)) {
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{ss so ss}", "parameter", "state",
					 "value", text_json(f.state), "limit",
					 "queued, running, succeeded, failed"),
			       "state has to be one of an operation's");
		return;
	}
	if (page_open(&p, r, a))
		return;
	f.after = p.cursor;
	f.limit = page_ask(&p);
	rc = operation_list(r->db, &f, add, &p, &err);
	page_close(&p, r, a, rc, &err);
}

static json_t *acts_json(struct request *r, const char *id, struct error *err)
{
	struct journal_entry entries[ACTS_MAX];
	int count = journal_read(r->db, id, entries, ACTS_MAX, err);
	json_t *list;

	if (count < 0)
		return NULL;
	list = json_array();
	for (int i = 0; i < count; i++) {
		const struct journal_entry *e = &entries[i];

		json_array_append_new(
			list,
			json_pack("{ss ss so so}", "act", e->act, "outcome",
				  *e->outcome ? e->outcome : "open", "begun_at",
				  time_json(e->begun_wall_ms), "ended_at",
				  time_json(e->ended_wall_ms)));
	}
	return list;
}

void operations_get(struct request *r, struct answer *a)
{
	long wait_s = read_wait_s(r, a);
	struct operation o;
	struct error err;
	json_t *acts, *json;

	if (wait_s < 0)
		return;
	if (operation_find(r->db, request_tenant(r), r->words[0], &o, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (o.state < OPERATION_SUCCEEDED)
		a->wait_until_ms = r->started_ms + wait_s * 1000;
	acts = acts_json(r, o.id, &err);
	if (!acts) {
		answer_error(r, a, &err);
		return;
	}
	json = operation_json(&o);
	json_object_set_new(json, "acts", acts);
	answer_json(a, 200, json);
}
