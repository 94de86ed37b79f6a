// SPDX-License-Identifier: Apache-2.0
/* See problem.h. */
#include "api/problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/json_write.h"
#include "util/log.h"

#define TYPE_PREFIX "urn:xenoserver:problem:"

static const struct {
	int status;
	const char *slug, *title;
} problems[PROBLEMS] = {
	[PROBLEM_MALFORMED] = { 400, "malformed",
				"The request cannot be understood" },
	[PROBLEM_UNAUTHENTICATED] = { 401, "unauthenticated",
				      "A valid token is needed" },
	[PROBLEM_FORBIDDEN] = { 403, "forbidden", "This is not for you" },
	[PROBLEM_NOT_FOUND] = { 404, "not-found", "There is no such thing" },
	[PROBLEM_METHOD] = { 405, "method-not-allowed",
			     "This resource has other methods" },
	[PROBLEM_STATE] = { 409, "state-conflict",
			    "Not in the state that the domain is in" },
	[PROBLEM_BUSY] = { 409, "operation-in-progress",
			   "Another operation on the domain is not finished" },
	[PROBLEM_NAME] = { 409, "name-taken", "The name is taken" },
	[PROBLEM_ADDRESS] = { 409, "address-in-use", "The address is in use" },
	[PROBLEM_CAPACITY] = { 409, "insufficient-capacity",
			       "The node has no room for this" },
	[PROBLEM_FIXED] = { 409, "field-fixed",
			    "The field cannot be changed now" },
	[PROBLEM_IN_USE] = { 409, "in-use", "Somebody needs it" },
	[PROBLEM_UPGRADE] = { 426, "upgrade-required", "This is a WebSocket" },
	[PROBLEM_NO_SPACE] = { 507, "no-space", "There is no room for this" },
	[PROBLEM_GONE] = { 410, "events-gone",
			   "The events after this id are not kept" },
	[PROBLEM_VERSION] = { 412, "version-mismatch",
			      "The domain has another version" },
	[PROBLEM_TOO_LARGE] = { 413, "too-large", "The body is too large" },
	[PROBLEM_MEDIA_TYPE] = { 415, "unsupported-media-type",
				 "The body has another type" },
	[PROBLEM_INVALID] = { 422, "invalid",
			      "Fields are out of their limits" },
	[PROBLEM_KEY_REUSED] = { 422, "idempotency-key-reused",
				 "The key was used for another request" },
	[PROBLEM_VERSION_REQUIRED] = { 428, "version-required",
				       "If-Match is needed" },
	[PROBLEM_STORE_BUSY] = { 503, "busy", "The node is busy" },
	[PROBLEM_STOPPING] = { 503, "node-stopping", "The node is stopping" },
	[PROBLEM_FAILURE] = { 500, "failure", "The node has failed" },
};

static void fill(const struct request *r, struct answer *a, enum problem p,
		 json_t *more, const char *detail)
{
	char type[64], instance[64];
	json_t *all;

	snprintf(type, sizeof(type), TYPE_PREFIX "%s", problems[p].slug);
	snprintf(instance, sizeof(instance), "urn:xenoserver:request:%s",
		 r->id);
	all = json_pack("{ss ss si so ss}", "type", type, "title",
			problems[p].title, "status", problems[p].status,
			"detail", text_json(detail), "instance", instance);
	if (more) {
		json_object_update(all, more);
		json_decref(more);
	}
	a->status = problems[p].status;
	a->challenge = p == PROBLEM_UNAUTHENTICATED;
	if (p == PROBLEM_BUSY || p == PROBLEM_STORE_BUSY)
		a->retry_after_s = 1;
	answer_json(a, a->status, all);
	a->type = "application/problem+json";
}

void answer_problem(const struct request *r, struct answer *a, enum problem p,
		    json_t *more, const char *format, ...)
{
	char detail[700];
	va_list ap;

	va_start(ap, format);
	vsnprintf(detail, sizeof(detail), format, ap);
	va_end(ap);
	fill(r, a, p, more, detail);
}

void answer_violations(const struct request *r, struct answer *a,
		       const struct violations *v)
{
	const struct violation *first = &v->list[0];
	json_t *errors = json_array();

	for (unsigned int i = 0; i < v->count; i++)
		json_array_append_new(
			errors, json_pack("{so so ss}", "field",
					  text_json(v->list[i].field), "value",
					  text_json(v->list[i].value), "limit",
					  v->list[i].limit));
	answer_problem(r, a, PROBLEM_INVALID,
		       json_pack("{so}", "errors", errors),
		       "%s is %s; it has to be %s", first->field, first->value,
		       first->limit);
}

static json_t *capacity_json(const struct admission *a)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < RESOURCES; i++) {
		const struct inequality *q = &a->verdict.list[i];
		char test[160];

		if (!a->lacks[i])
			continue;
		inequality_text(test, sizeof(test), i, q);
		json_array_append_new(
			list,
			json_pack("{ss ss sI sI sI sI sI ss}", "resource",
				  resource_word(i), "field", resource_field(i),
				  "claimed", (json_int_t)q->claimed,
				  "requested", (json_int_t)q->requested,
				  "limit", (json_int_t)q->limit, "shortfall",
				  (json_int_t)a->shortfall[i],
				  "nearest_feasible", (json_int_t)a->nearest[i],
				  "test", test));
	}
	return json_pack("{so}", "resources", list);
}

static void answer_capacity(const struct request *r, struct answer *a,
			    const struct refusal *f)
{
	char detail[600];

	admission_refusal_text(detail, sizeof(detail), &f->admission);
	answer_problem(r, a, PROBLEM_CAPACITY, capacity_json(&f->admission),
		       "%s", detail);
}

void answer_refusal(const struct request *r, struct answer *a,
		    const struct refusal *f)
{
	static const enum problem kinds[] = {
		[REFUSED_FAILURE] = PROBLEM_FAILURE,
		[REFUSED_NOT_FOUND] = PROBLEM_NOT_FOUND,
		[REFUSED_NAME] = PROBLEM_NAME,
		[REFUSED_ADDRESS] = PROBLEM_ADDRESS,
		[REFUSED_STATE] = PROBLEM_STATE,
		[REFUSED_BUSY] = PROBLEM_BUSY,
		[REFUSED_VERSION] = PROBLEM_VERSION,
		[REFUSED_CAPACITY] = PROBLEM_CAPACITY,
		[REFUSED_FIXED] = PROBLEM_FIXED,
		[REFUSED_IN_USE] = PROBLEM_IN_USE,
	};
	struct violations v = { .count = 0 };
	json_t *more = NULL;

	switch (f->kind) {
	case REFUSED_FAILURE:
		answer_error(r, a, &f->error);
		return;
	case REFUSED_CAPACITY:
		answer_capacity(r, a, f);
		return;
	case REFUSED_INVALID:
		violation_add(&v, f->value, f->limit, "%s", f->field);
		answer_violations(r, a, &v);
		return;
	case REFUSED_IN_USE:
		if (*f->field)
			more = json_pack("{ss}", "field", f->field);
		break;
	case REFUSED_STATE:
		more = json_pack("{ss so}", "state",
				 domain_state_word(f->state), "allowed_actions",
				 actions_json(f->state));
		break;
	case REFUSED_BUSY:
		more = json_pack("{ss}", "conflicting_operation",
				 f->operation_id);
		break;
	case REFUSED_VERSION:
		more = json_pack("{sI}", "version", (json_int_t)f->version);
		break;
	case REFUSED_NAME:
		more = json_pack("{ss}", "field", "/name");
		break;
	case REFUSED_ADDRESS:
		more = json_pack("{ss}", "field", f->field);
		break;
	case REFUSED_FIXED:
		more = json_pack("{ss ss}", "field", f->field, "state",
				 domain_state_word(f->state));
		break;
	default:
		break;
	}
	answer_problem(r, a, kinds[f->kind], more, "%s", f->error.message);
}

void answer_error(const struct request *r, struct answer *a,
		  const struct error *err)
{
	if (err->code == ERR_NOT_FOUND) {
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL, "%s",
			       err->message);
		return;
	}
	/* What the node is ill of is for its operator, in the log. */
	log_failure("op=http request=%s message=\"%s\"", r->id, err->message);
	if (err->code == ERR_BUSY)
		answer_problem(r, a, PROBLEM_STORE_BUSY, NULL,
			       "the node is busy with other requests");
	else
		answer_problem(r, a, PROBLEM_FAILURE, NULL,
			       "the node's log says more under this request");
}
