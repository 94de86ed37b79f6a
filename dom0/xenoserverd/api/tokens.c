// SPDX-License-Identifier: Apache-2.0
/* /v1/tokens: made and taken away by operators. The secret is in the answer to
 * its making, and nowhere else. */
#include <stdio.h>
#include <string.h>

#include "api/json_read.h"
#include "api/json_write.h"
#include "api/page.h"
#include "api/problem.h"
#include "store/event_rows.h"
#include "util/clock.h"

#define SECRET_BYTES 32

static int announce(struct request *r, const char *type, const char *id,
		    struct error *err)
{
	struct event e = { .id = 0 };

	snprintf(e.type, sizeof(e.type), "%s", type);
	snprintf(e.subject, sizeof(e.subject), "%s", id);
	snprintf(e.actor, sizeof(e.actor), "%s", r->caller.actor);
	snprintf(e.request_id, sizeof(e.request_id), "%s", r->id);
	return event_add(r->db, &e, err);
}

static void create(struct request *r, struct answer *a,
		   const struct token_body *body)
{
	struct token t = { .role = body->role,
			   .created_wall_ms = wall_now_ms() };
	char secret[2 * SECRET_BYTES + 1];
	struct error err;
	json_t *json;

	id_make(t.id, "tok");
	secret_make(secret, SECRET_BYTES);
	digest_make(t.secret_digest, secret, strlen(secret));
	memcpy(t.tenant, body->tenant, sizeof(t.tenant));
	memcpy(t.description, body->description, sizeof(t.description));
	t.expires_wall_ms = t.created_wall_ms + body->expires_in_s * 1000;
	if (token_insert(r->db, &t, &err) ||
	    announce(r, "token.created", t.id, &err)) {
		answer_error(r, a, &err);
		return;
	}
	json = token_json(&t);
	json_object_set_new(json, "token",
			    json_sprintf("xs_%s_%s", t.id, secret));
	snprintf(a->location, sizeof(a->location), "/v1/tokens/%s", t.id);
	answer_json(a, 201, json);
}

void tokens_create(struct request *r, struct answer *a)
{
	json_t *json = read_body(r, a, "application/json");
	struct violations v = { .count = 0 };
	struct token_body body;

	if (!json)
		return;
	read_token_body(json, &body, &v);
	json_decref(json);
	if (v.count)
		answer_violations(r, a, &v);
	else
		create(r, a, &body);
}

static int add(void *context, const struct token *t, struct error *err)
{
	(void)err;
	page_add(context, t->id, token_json(t));
	return 0;
}

void tokens_list(struct request *r, struct answer *a)
{
	struct page p;
	struct error err;
	int rc;

	if (page_open(&p, r, a))
		return;
	rc = token_list(r->db, p.cursor, page_ask(&p), add, &p, &err);
	page_close(&p, r, a, rc, &err);
}

void tokens_get(struct request *r, struct answer *a)
{
	struct token t;
	struct error err;

	if (token_find(r->db, r->words[0], &t, &err))
		answer_error(r, a, &err);
	else if (t.revoked_wall_ms)
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL,
			       "this token was revoked");
	else
		answer_json(a, 200, token_json(&t));
}

void tokens_delete(struct request *r, struct answer *a)
{
	struct error err;

	if (token_revoke(r->db, r->words[0], wall_now_ms(), &err) ||
	    announce(r, "token.revoked", r->words[0], &err))
		answer_error(r, a, &err);
	else
		a->status = 204;
}
