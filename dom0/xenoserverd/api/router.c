// SPDX-License-Identifier: Apache-2.0
/*
 * From a request to the function that answers it: who may ask is a column of
 * the table. What writes runs in one transaction, with the answer that is kept
 * for its idempotency key, and is committed before anybody hears of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"
#include "store/idempotency_rows.h"
#include "store/node_rows.h"

enum access { ANYBODY, ANY_TOKEN, OPERATOR };

struct route {
	const char *method, *path; /* {} stands for one word */
	handler answer;
	enum access access;
	bool writes;
	bool keyless; /* its answer must not be kept */
	const char *queries;
};

static const struct route routes[] = {
	{ "GET", "/healthz", health_get, ANYBODY, false, false, "" },
	{ "GET", "/readyz", readiness_get, ANYBODY, false, false, "" },
	{ "GET", "/openapi.yaml", openapi_get, ANYBODY, false, false, "" },
	{ "GET", "/metrics", metrics_get, OPERATOR, false, false, "" },
	{ "GET", "/v1/host", host_get, OPERATOR, false, false, "" },
	{ "POST", "/v1/host/actions/{}", host_act, OPERATOR, true, false, "" },
	{ "POST", "/v1/domains", domains_create, ANY_TOKEN, true, false,
	  "dry_run" },
	{ "GET", "/v1/domains", domains_list, ANY_TOKEN, false, false,
	  "limit,cursor,state,label_selector,tenant" },
	{ "GET", "/v1/domains/{}", domains_get, ANY_TOKEN, false, false, "" },
	{ "PATCH", "/v1/domains/{}", domains_update, ANY_TOKEN, true, false,
	  "" },
	{ "DELETE", "/v1/domains/{}", domains_delete, ANY_TOKEN, true, false,
	  "" },
	{ "POST", "/v1/domains/{}/actions/{}", domains_act, ANY_TOKEN, true,
	  false, "" },
	{ "GET", "/v1/domains/{}/console", console_get, ANY_TOKEN, false, false,
	  "write" },
	{ "GET", "/v1/domains/{}/console/log", console_log_get, ANY_TOKEN,
	  false, false, "tail_bytes,offset,limit" },
	{ "GET", "/v1/domains/{}/vifs", vifs_get, ANY_TOKEN, false, false, "" },
	{ "GET", "/v1/rules", rules_get, OPERATOR, false, false, "" },
	{ "PUT", "/v1/rules", rules_put, OPERATOR, false, false, "" },
	{ "GET", "/v1/rules/counters", rules_counters_get, OPERATOR, false,
	  false, "" },
	{ "GET", "/v1/images", images_list_get, ANY_TOKEN, false, false,
	  "limit,cursor,kind" },
	{ "GET", "/v1/images/{}", images_get, ANY_TOKEN, false, false,
	  "kind,wait" },
	{ "PUT", "/v1/images/{}", images_put, OPERATOR, false, false, "kind" },
	{ "DELETE", "/v1/images/{}", images_delete, OPERATOR, true, false,
	  "kind" },
	{ "POST", "/v1/volumes", volumes_create, ANY_TOKEN, true, false, "" },
	{ "GET", "/v1/volumes", volumes_list, ANY_TOKEN, false, false,
	  "limit,cursor,domain,tenant" },
	{ "GET", "/v1/volumes/{}", volumes_get, ANY_TOKEN, false, false, "" },
	{ "PATCH", "/v1/volumes/{}", volumes_update, ANY_TOKEN, true, false,
	  "" },
	{ "DELETE", "/v1/volumes/{}", volumes_delete, ANY_TOKEN, true, false,
	  "" },
	{ "GET", "/v1/operations", operations_list, ANY_TOKEN, false, false,
	  "limit,cursor,state,domain" },
	{ "GET", "/v1/operations/{}", operations_get, ANY_TOKEN, false, false,
	  "wait" },
	{ "GET", "/v1/events", events_get, ANY_TOKEN, false, false, "after" },
	{ "POST", "/v1/tokens", tokens_create, OPERATOR, true, true, "" },
	{ "GET", "/v1/tokens", tokens_list, OPERATOR, false, false,
	  "limit,cursor" },
	{ "GET", "/v1/tokens/{}", tokens_get, OPERATOR, false, false, "" },
	{ "DELETE", "/v1/tokens/{}", tokens_delete, OPERATOR, true, false, "" },
	{ "GET", "/v1/domains/{}/usage", usage_get, ANY_TOKEN, false, false,
	  "from,to" },
	{ "GET", "/v1/domains/{}/statement", domain_statement_get, ANY_TOKEN,
	  false, false, "from,to,month,last_row" },
	{ "GET", "/v1/accounts", accounts_list, ANY_TOKEN, false, false,
	  "limit,cursor" },
	{ "GET", "/v1/accounts/{}", accounts_get, ANY_TOKEN, false, false, "" },
	{ "GET", "/v1/accounts/{}/statement", account_statement_get, ANY_TOKEN,
	  false, false, "from,to,month,last_row" },
	{ "POST", "/v1/accounts/{}/adjustments", adjustments_create, OPERATOR,
	  true, false, "" },
	{ "GET", "/v1/tariffs", tariffs_list, ANY_TOKEN, false, false, "" },
	{ "POST", "/v1/tariffs", tariffs_create, OPERATOR, true, false, "" },
	{ "GET", "/v1/tariffs/{}", tariffs_get, ANY_TOKEN, false, false, "" },
	{ "GET", "/v1/ledger", ledger_get, ANY_TOKEN, false, false, "" },
	{ "GET", "/v1/ledger/verify", ledger_verify, OPERATOR, false, false,
	  "row,hash" },
};
#define ROUTES (sizeof(routes) / sizeof(routes[0]))

const char *route_name(const struct request *r)
{
	return r->route ? r->route->path : "-";
}

const char *request_tenant(const struct request *r)
{
	return r->caller.role == ROLE_OPERATOR ? NULL : r->caller.tenant;
}

/* Whether the path is the route's; its words then. */
static bool match(struct request *r, const char *pattern)
{
	const char *path = r->path;
	unsigned int words = 0;

	while (*pattern && *path) {
		size_t length;

		if (*pattern != '{') {
			if (*pattern++ != *path++)
				return false;
			continue;
		}
		length = strcspn(path, "/");
		if (!length || length >= PATH_WORD_MAX)
			return false;
		memcpy(r->words[words], path, length);
		r->words[words++][length] = '\0';
		path += length;
		pattern += 2;
	}
	return !*pattern && !*path;
}

static const char *method_of(const struct request *r)
{
	/* Answered like GET, and libmicrohttpd leaves out the body. */
	return strcmp(r->method, "HEAD") == 0 ? "GET" : r->method;
}

static int find_route(struct request *r, struct answer *a)
{
	char allow[sizeof(a->allow)] = "";

	for (size_t i = 0; i < ROUTES; i++) {
		if (!match(r, routes[i].path))
			continue;
		if (strcmp(method_of(r), routes[i].method) == 0) {
			r->route = &routes[i];
			return 0;
		}
		snprintf(allow + strlen(allow), sizeof(allow) - strlen(allow),
			 "%s%s", *allow ? ", " : "", routes[i].method);
	}
	if (!*allow) {
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL,
			       "nothing is served under this path");
		return -1;
	}
	answer_problem(r, a, PROBLEM_METHOD, NULL, "it has %s", allow);
	memcpy(a->allow, allow, sizeof(allow));
	return -1;
}

static int check(struct request *r, struct answer *a)
{
	const char *stray;

	if (find_route(r, a))
		return -1;
	if (r->too_large) {
		answer_problem(
			r, a, PROBLEM_TOO_LARGE,
			json_pack("{sI}", "limit", (json_int_t)r->body_most),
			"a body has %zu bytes at most", r->body_most);
		return -1;
	}
	if (r->route->access != ANYBODY && authenticate(r, a))
		return -1;
	if (r->route->access == OPERATOR && r->caller.role != ROLE_OPERATOR) {
		answer_problem(r, a, PROBLEM_FORBIDDEN, NULL,
			       "only operators may ask for this");
		return -1;
	}
	stray = request_stray_query(r, r->route->queries);
	if (!stray)
		return 0;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{so}", "parameter", text_json(stray)),
		       "there is no such parameter here");
	return -1;
}

void route_head(struct request *r, struct answer *a)
{
	r->body_most = BODY_MAX_BYTES;
	for (size_t i = 0; i < ROUTES; i++) {
		if (strcmp(r->method, routes[i].method) != 0 ||
		    !match(r, routes[i].path))
			continue;
		if (routes[i].answer == rules_put)
			r->body_most = RULES_BODY_MAX_BYTES;
		if (routes[i].answer != images_put)
			return;
		r->body_most = IMAGE_MOST_BYTES;
		if (check(r, a) == 0)
			images_put_head(r, a);
		return;
	}
}

/* What a key stands for: who asked for what. Same key, same request. */
struct keyed {
	const char *key; /* NULL: none */
	char scope[256], digest[DIGEST_MAX];
};

static int read_key(struct request *r, struct answer *a, struct keyed *k)
{
	const char *dry = request_query(r, "dry_run");
	struct strbuf all = { .text = NULL };

	k->key = request_header(r, "Idempotency-Key");
	if (!k->key || strcmp(r->method, "POST") != 0) {
		k->key = NULL;
		return 0;
	}
	if (r->route->keyless || !*k->key ||
	    strlen(k->key) >= IDEMPOTENCY_KEY_MAX) {
		answer_problem(
			r, a, PROBLEM_MALFORMED,
			json_pack("{ss si}", "header", "Idempotency-Key",
				  "limit", IDEMPOTENCY_KEY_MAX - 1),
			r->route->keyless
				? "an answer with a secret is not kept, so there is no key for it"
				: "a key has 1 to 255 characters");
		return -1;
	}
	snprintf(k->scope, sizeof(k->scope), "%s %s %s", r->caller.actor,
		 r->method, r->path);
	strbuf_add(&all, "%s\n", dry ? dry : "");
	strbuf_add_bytes(&all, r->body.text ? r->body.text : "",
			 r->body.length);
	digest_make(k->digest, all.text, all.length);
	strbuf_clear(&all);
	return 0;
}

/* 1: the answer is there. */
static int replay(struct request *r, struct answer *a, const struct keyed *k)
{
	struct kept_answer kept;
	struct error err;
	int found;

	if (!k->key)
		return 0;
	found = idempotency_find(r->db, k->scope, k->key, &kept, &err);
	if (found < 0) {
		answer_error(r, a, &err);
		return 1;
	}
	if (!found)
		return 0;
	if (!digest_equal(kept.body_digest, k->digest)) {
		free(kept.text);
		answer_problem(r, a, PROBLEM_KEY_REUSED, NULL,
			       "the key came with another body before");
		return 1;
	}
	a->status = kept.status;
	a->type = "application/json";
	a->text = kept.text;
	a->replayed = true;
	memcpy(a->location, kept.location, sizeof(a->location));
	memcpy(a->etag, kept.etag, sizeof(a->etag));
	return 1;
}

static int keep(struct request *r, const struct answer *a,
		const struct keyed *k, struct error *err)
{
	struct kept_answer kept = { .status = a->status, .text = a->text };

	if (!k->key)
		return 0;
	memcpy(kept.body_digest, k->digest, sizeof(kept.body_digest));
	memcpy(kept.location, a->location, sizeof(kept.location));
	memcpy(kept.etag, a->etag, sizeof(kept.etag));
	return idempotency_keep(r->db, k->scope, k->key, &kept, err);
}

static void forget(struct answer *a)
{
	free(a->text);
	*a = (struct answer){ .status = 0 };
}

/* Then nothing is written down any more that would be begun only after the
 * node's next start. */
static int check_stopping(struct request *r, struct answer *a)
{
	int64_t since_wall_ms;
	struct error err;

	if (node_stopping(r->db, &since_wall_ms, &err)) {
		answer_error(r, a, &err);
		return -1;
	}
	if (!since_wall_ms || r->route->answer == host_act)
		return 0;
	answer_problem(r, a, PROBLEM_STOPPING, NULL,
		       "the node stops; what ran is started again with it");
	return -1;
}

static void write_in_transaction(struct request *r, struct answer *a)
{
	struct keyed k;
	struct error err;

	if (read_key(r, a, &k))
		return;
	if (db_begin(r->db, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (replay(r, a, &k) || check_stopping(r, a)) {
		db_rollback(r->db);
		return;
	}
	r->route->answer(r, a);
	if (a->status >= 400 || a->discard) {
		db_rollback(r->db);
		return;
	}
	if (keep(r, a, &k, &err) || db_commit(r->db, &err)) {
		db_rollback(r->db);
		forget(a);
		answer_error(r, a, &err);
		return;
	}
	hub_wake(r->api->hub);
	orchestration_wake(r->api->orchestration);
}

void route_request(struct request *r, struct answer *a)
{
	if (check(r, a))
		return;
	if (r->route->writes)
		write_in_transaction(r, a);
	else
		r->route->answer(r, a);
}
