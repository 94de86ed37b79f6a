// SPDX-License-Identifier: Apache-2.0
/* /v1/domains: what is asked of domains, between JSON and orchestration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_read.h"
#include "api/json_write.h"
#include "api/libvirt.h"
#include "api/page.h"
#include "api/problem.h"
#include "api/request.h"
#include "store/domain_rows.h"

static void set_etag(struct answer *a, const struct domain *d)
{
	snprintf(a->etag, sizeof(a->etag), "\"%lld\"", (long long)d->version);
}

/* NULL: the store has failed, and the answer says so. */
static json_t *render(struct request *r, struct answer *a,
		      const struct domain *d)
{
	struct verdict verdict;
	struct error err;

	if (verdict_load(r->db, d->id, &verdict, &err)) {
		answer_error(r, a, &err);
		return NULL;
	}
	return domain_json(d, &verdict);
}

/* ignored: NULL, or a list that goes into the answer. */
static void answer_accepted(struct request *r, struct answer *a,
			    const struct request_answer *got, json_t *ignored)
{
	json_t *domain = render(r, a, &got->domain);

	if (!domain)
		return;
	set_etag(a, &got->domain);
	snprintf(a->location, sizeof(a->location), "/v1/operations/%s",
		 got->operation.id);
	answer_json(a, 202,
		    json_pack("{so so sO*}", "operation",
			      operation_json(&got->operation), "domain", domain,
			      "ignored", ignored));
}

/* -1: the answer says what is wrong. */
static int read_dry_run(struct request *r, struct answer *a)
{
	const char *text = request_query(r, "dry_run");

	if (!text || strcmp(text, "false") == 0)
		return 0;
	if (strcmp(text, "true") == 0)
		return 1;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", "dry_run", "value",
				 text_json(text), "limit", "true or false"),
		       "dry_run has to be true or false");
	return -1;
}

static void create(struct request *r, struct answer *a,
		   const struct create_body *body)
{
	struct requester by = requester_of(r);
	struct capacity capacity = capacity_of(r);
	const char *tenant = read_tenant(r, a, body->tenant);
	struct creation what = { tenant, &body->spec, body->start };
	int dry_run = read_dry_run(r, a);
	struct request_answer got;
	struct refusal refusal;

	if (!tenant || dry_run < 0)
		return;
	if (request_create(r->db, &by, &capacity, &what, &got, &refusal)) {
		answer_refusal(r, a, &refusal);
		return;
	}
	if (!dry_run) {
		answer_accepted(r, a, &got, body->ignored);
		return;
	}
	a->discard = true;
	answer_json(a, 200,
		    json_pack("{sb so sO*}", "admitted", 1, "admission",
			      verdict_json(&refusal.admission.verdict),
			      "ignored", body->ignored));
}

/* -1: the answer says why it cannot be read. */
static int read_new(struct request *r, struct answer *a,
		    struct create_body *out, struct violations *v)
{
	json_t *json;

	if (media_type_is(request_header(r, "Content-Type"), XML_TYPE))
		return libvirt_read(r, a, out, v);
	json = read_body(r, a, "application/json");
	if (!json)
		return -1;
	read_create(json, out, v);
	json_decref(json);
	return 0;
}

void domains_create(struct request *r, struct answer *a)
{
	struct violations v = { .count = 0 };
	struct create_body body;

	if (read_new(r, a, &body, &v))
		return;
	if (v.count)
		answer_violations(r, a, &v);
	else
		create(r, a, &body);
	json_decref(body.ignored);
}

struct listing {
	struct request *request;
	struct page page;
};

static int add(void *context, const struct domain *d, struct error *err)
{
	struct listing *l = context;
	struct verdict verdict;

	if (verdict_load(l->request->db, d->id, &verdict, err))
		return -1;
	page_add(&l->page, d->id, domain_json(d, &verdict));
	return 0;
}

/* -1: the answer says what is wrong with the query. */
static int read_filter(struct request *r, struct answer *a,
		       struct domain_filter *f, struct label_selector *l)
{
	const char *selector = request_query(r, "label_selector");
	const char *tenant = request_query(r, "tenant");
	enum domain_state state;

	f->state = request_query(r, "state");
	f->tenant = request_tenant(r) ? request_tenant(r) : tenant;
	if (f->state && (!domain_state_parse(&state, f->state) ||
			 state == DOMAIN_DESTROYED)) {
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{ss so}", "parameter", "state",
					 "value", text_json(f->state)),
			       "state has to be one of a domain's");
		return -1;
	}
	if (tenant && strcmp(f->tenant, tenant) != 0) {
		answer_problem(r, a, PROBLEM_FORBIDDEN, NULL,
			       "only operators may look at other tenants");
		return -1;
	}
	if (!selector)
		return 0;
	if (!label_selector_parse(l, selector)) {
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{ss so ss}", "parameter",
					 "label_selector", "value",
					 text_json(selector), "limit",
					 "up to 8 of key=value, key!=value, "
					 "key, !key with commas between"),
			       "this is no selector of labels");
		return -1;
	}
	f->selector = l;
	return 0;
}

void domains_list(struct request *r, struct answer *a)
{
	struct label_selector selector;
	struct domain_filter f = { .limit = 0 };
	struct listing l = { .request = r };
	struct error err;
	int rc;

	if (read_filter(r, a, &f, &selector) || page_open(&l.page, r, a))
		return;
	f.after = l.page.cursor;
	f.limit = page_ask(&l.page);
	rc = domain_list(r->db, &f, add, &l, &err);
	page_close(&l.page, r, a, rc, &err);
}

void domains_get(struct request *r, struct answer *a)
{
	const char *have = request_header(r, "If-None-Match");
	struct domain d;
	struct error err;
	json_t *json;

	if (domain_find(r->db, request_tenant(r), r->words[0], &d, &err)) {
		answer_error(r, a, &err);
		return;
	}
	set_etag(a, &d);
	if (have && strcmp(have, a->etag) == 0) {
		a->status = 304;
		return;
	}
	if (media_type_is(request_header(r, "Accept"), XML_TYPE)) {
		libvirt_answer(a, &d);
		return;
	}
	json = render(r, a, &d);
	if (json)
		answer_json(a, 200, json);
}

/* Onto the domain as it is, by the version it has within this transaction. */
static void update(struct request *r, struct answer *a, json_t *json,
		   int64_t version)
{
	struct requester by = requester_of(r);
	struct capacity capacity = capacity_of(r);
	struct violations v = { .count = 0 };
	struct target t = { r->words[0], version };
	struct request_answer got;
	struct refusal refusal;
	struct domain d;
	struct error err;

	if (domain_find(r->db, by.tenant, r->words[0], &d, &err)) {
		answer_error(r, a, &err);
		return;
	}
	read_patch(json, &d.spec, &v);
	if (v.count)
		answer_violations(r, a, &v);
	else if (request_update(r->db, &by, &capacity, &t, &d.spec, &got,
				&refusal))
		answer_refusal(r, a, &refusal);
	else
		answer_accepted(r, a, &got, NULL);
}

void domains_update(struct request *r, struct answer *a)
{
	int64_t version;
	json_t *json;

	if (read_if_match(r, a, true, &version))
		return;
	json = read_body(r, a, "application/merge-patch+json");
	if (!json)
		return;
	update(r, a, json, version);
	json_decref(json);
}

static void act(struct request *r, struct answer *a, enum domain_action action,
		bool version_needed)
{
	struct requester by = requester_of(r);
	struct request_answer got;
	struct refusal refusal;
	struct target t = { .domain = r->words[0] };

	if (read_if_match(r, a, version_needed, &t.version))
		return;
	if (request_action(r->db, &by, &t, action, &got, &refusal))
		answer_refusal(r, a, &refusal);
	else
		answer_accepted(r, a, &got, NULL);
}

void domains_delete(struct request *r, struct answer *a)
{
	act(r, a, ACTION_DELETE, true);
}

void domains_act(struct request *r, struct answer *a)
{
	enum domain_action action;

	/* Those that have a method of their own are no actions here. */
	if (!domain_action_parse(&action, r->words[1]) ||
	    action == ACTION_CREATE || action == ACTION_UPDATE ||
	    action == ACTION_DELETE)
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL,
			       "actions are start, pause, resume, shutdown, "
			       "reboot, destroy");
	else
		act(r, a, action, false);
}
