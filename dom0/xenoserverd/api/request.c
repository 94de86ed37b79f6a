// SPDX-License-Identifier: Apache-2.0
/* See request.h. */
#include "api/request.h"

#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"

#define WAIT_MOST_S 60

struct requester requester_of(const struct request *r)
{
	return (struct requester){ request_tenant(r), r->caller.actor, r->id };
}

struct capacity capacity_of(const struct request *r)
{
	struct orchestration_status status;

	orchestration_status(r->api->orchestration, &status);
	return status.capacity;
}

int read_if_match(struct request *r, struct answer *a, bool needed,
		  int64_t *version)
{
	const char *text = request_header(r, "If-Match");
	char *end;

	*version = ANY_VERSION;
	if (!text && needed) {
		answer_problem(r, a, PROBLEM_VERSION_REQUIRED, NULL,
			       "If-Match has to name the ETag that was read, "
			       "or *");
		return -1;
	}
	if (!text || strcmp(text, "*") == 0)
		return 0;
	*version = *text == '"' ? strtoll(text + 1, &end, 10) : 0;
	/* What no ETag of ours looks like, matches none. */
	if (*version <= 0 || strcmp(end, "\"") != 0)
		*version = 0;
	return 0;
}

long read_wait_s(struct request *r, struct answer *a)
{
	const char *text = request_query(r, "wait");
	char *end;
	long wait_s;

	if (!text)
		return 0;
	wait_s = strtol(text, &end, 10);
	if (!*end && end != text && wait_s >= 0 && wait_s <= WAIT_MOST_S)
		return wait_s;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", "wait", "value",
				 text_json(text), "limit", "0 to 60"),
		       "wait has to be 0 to 60 seconds");
	return -1;
}

const char *read_tenant(struct request *r, struct answer *a, const char *asked)
{
	const char *mine = request_tenant(r);

	if (!mine)
		return *asked ? asked : OPERATORS_TENANT;
	if (!*asked || strcmp(asked, mine) == 0)
		return mine;
	answer_problem(r, a, PROBLEM_FORBIDDEN,
		       json_pack("{ss ss}", "field", "/tenant", "limit", mine),
		       "what a tenant makes is its own");
	return NULL;
}
