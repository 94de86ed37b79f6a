// SPDX-License-Identifier: Apache-2.0
/* /v1/rules: the rules of the firewall-router as one document. */
#include "orchestrate/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/desk.h"
#include "api/json_read.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "api/request.h"
#include "api/rule_document.h"
#include "store/domain_rows.h"

static void answer_document(struct answer *a, const struct rule_row *row)
{
	a->status = 200;
	a->type = "application/json";
	a->text = strdup(row->document);
	snprintf(a->etag, sizeof(a->etag), "\"%lld\"", (long long)row->version);
}

void rules_get(struct request *r, struct answer *a)
{
	struct rule_row row;
	struct error err;

	if (rule_row_load(r->db, &row, &err)) {
		answer_error(r, a, &err);
		return;
	}
	answer_document(a, &row);
	rule_row_clear(&row);
}

/* ---- PUT ---- */

struct put_job {
	struct job job;
	struct rule_row row;
	int64_t version; /* that is expected */
	char actor[ACTOR_MAX], request_id[ID_MAX];
	int rc;
	struct machine_rule_fault fault;
	struct refusal refusal;
};

static void put(struct job *j, struct api *api, struct db *db)
{
	struct put_job *p = (struct put_job *)j;
	struct requester by = { NULL, p->actor, p->request_id };

	p->rc = rule_keeper_put(orchestration_rules(api->orchestration), db,
				&by, p->version, &p->row, &p->fault,
				&p->refusal);
}

static void discard_put(struct job *j)
{
	struct put_job *p = (struct put_job *)j;

	rule_row_clear(&p->row);
	free(p);
}

/* By id, or by a name that only one domain has. */
static bool resolve(void *context, const char *id_or_name, char id[ID_MAX])
{
	struct request *r = context;
	struct domain d;
	struct error err;

	if (domain_find_one(r->db, id_or_name, &d, &err))
		return false;
	memcpy(id, d.id, ID_MAX);
	return true;
}

static void submit_put(struct request *r, json_t *document, const char *text,
		       int64_t version)
{
	struct put_job *p = calloc(1, sizeof(*p));

	if (!p)
		return;
	p->job.perform = put;
	p->job.discard = discard_put;
	p->row.document = json_dumps(document, JSON_COMPACT);
	p->row.text = strdup(text);
	p->version = version;
	memcpy(p->actor, r->caller.actor, sizeof(p->actor));
	memcpy(p->request_id, r->id, sizeof(p->request_id));
	if (!p->row.document || !p->row.text)
		discard_put(&p->job);
	else
		desk_submit(r, &p->job);
}

/* r->job is there, or the answer says why not. */
static void begin_put(struct request *r, struct answer *a)
{
	struct violations v = { .count = 0 };
	struct strbuf text = { .text = NULL };
	struct error err;
	int64_t version;
	json_t *json;

	if (read_if_match(r, a, true, &version))
		return;
	json = read_body(r, a, "application/json");
	if (!json)
		return;
	rule_document_read(json, resolve, r, &text, &v);
	if (v.count) {
		answer_violations(r, a, &v);
	} else {
		submit_put(r, json, text.text, version);
		if (!r->job) {
			error_fill(&err, ERR_SYSTEM, "no memory");
			answer_error(r, a, &err);
		}
	}
	json_decref(json);
	strbuf_clear(&text);
}

/* What the machine does not take. */
static void answer_fault(struct request *r, struct answer *a,
			 const struct machine_rule_fault *fault)
{
	struct violations v = { .count = 0 };
	const char *field = rule_field(fault->part);

	if (field)
		violation_add(&v, "as given", "one that is possible here",
			      "/rules/%u/%s", fault->line - 1, field);
	else
		violation_add(&v, "too many",
			      "one of fewer rules, from here to the last, that "
			      "one packet would be compared with",
			      "/rules/%u", fault->line - 1);
	answer_violations(r, a, &v);
}

void rules_put(struct request *r, struct answer *a)
{
	const struct put_job *p;

	if (!r->job)
		begin_put(r, a);
	if (!r->job || !desk_await(r, a))
		return;
	p = (const struct put_job *)r->job;
	if (!p->rc)
		answer_document(a, &p->row);
	else if (p->refusal.kind == REFUSED_INVALID)
		answer_fault(r, a, &p->fault);
	else
		answer_refusal(r, a, &p->refusal);
}

/* ---- counters ---- */

struct count_job {
	struct job job;
	int64_t version;
	int count;
	struct error err;
	struct machine_rule_counter counters[XENO_RULES_MAX];
};

static void count(struct job *j, struct api *api, struct db *db)
{
	struct count_job *c = (struct count_job *)j;

	c->count = rule_keeper_count(orchestration_rules(api->orchestration),
				     db, &c->version, c->counters,
				     XENO_RULES_MAX, &c->err);
}

static void discard_count(struct job *j)
{
	free(j);
}

static void answer_counters(struct answer *a, const struct count_job *c)
{
	json_t *list = json_array();

	for (int i = 0; i < c->count; i++)
		json_array_append_new(
			list,
			json_pack("{sI sI sb}", "packets",
				  (json_int_t)c->counters[i].packets, "bytes",
				  (json_int_t)c->counters[i].bytes, "in_force",
				  c->counters[i].in_force));
	answer_json(a, 200,
		    json_pack("{sI so}", "version", (json_int_t)c->version,
			      "counters", list));
}

void rules_counters_get(struct request *r, struct answer *a)
{
	struct count_job *c;
	struct error err;

	if (!r->job) {
		c = calloc(1, sizeof(*c));
		if (!c) {
			error_fill(&err, ERR_SYSTEM, "no memory");
			answer_error(r, a, &err);
			return;
		}
		c->job.perform = count;
		c->job.discard = discard_count;
		desk_submit(r, &c->job);
	}
	if (!desk_await(r, a))
		return;
	c = (struct count_job *)r->job;
	if (c->count < 0)
		answer_error(r, a, &c->err);
	else
		answer_counters(a, c);
}
