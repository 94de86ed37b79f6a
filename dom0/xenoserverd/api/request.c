// SPDX-License-Identifier: Apache-2.0
/* See request.h. */
#include "api/request.h"

#include <stdlib.h>
#include <string.h>

#include "api/problem.h"

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
