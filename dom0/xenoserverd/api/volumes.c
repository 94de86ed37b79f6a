// SPDX-License-Identifier: Apache-2.0
/* /v1/volumes. */
#include <stdio.h>
#include <string.h>

#include "api/json_read.h"
#include "api/json_write.h"
#include "api/page.h"
#include "api/problem.h"
#include "api/request.h"
#include "store/volume_rows.h"

static void set_etag(struct answer *a, const struct volume *v)
{
	snprintf(a->etag, sizeof(a->etag), "\"%lld\"", (long long)v->version);
}

static void answer_accepted(struct answer *a, const struct volume_answer *got)
{
	set_etag(a, &got->volume);
	snprintf(a->location, sizeof(a->location), "/v1/operations/%s",
		 got->operation.id);
	answer_json(a, 202,
		    json_pack("{so so}", "operation",
			      operation_json(&got->operation), "volume",
			      volume_json(&got->volume)));
}

static int add(void *context, const struct volume *v, struct error *err)
{
	(void)err;
	page_add(context, v->id, volume_json(v));
	return 0;
}

void volumes_list(struct request *r, struct answer *a)
{
	const char *tenant = request_query(r, "tenant");
	struct volume_filter f = {
		.tenant = request_tenant(r) ? request_tenant(r) : tenant,
		.domain_id = request_query(r, "domain"),
	};
	struct page p;
	struct error err;
	int rc;

	if (tenant && strcmp(f.tenant, tenant) != 0) {
		answer_problem(r, a, PROBLEM_FORBIDDEN, NULL,
			       "only operators may look at other tenants");
		return;
	}
	if (page_open(&p, r, a))
		return;
	f.after = p.cursor;
	f.limit = page_ask(&p);
	rc = volume_list(r->db, &f, add, &p, &err);
	page_close(&p, r, a, rc, &err);
}

void volumes_get(struct request *r, struct answer *a)
{
	struct volume v;
	struct error err;

	if (volume_find(r->db, request_tenant(r), r->words[0], &v, &err)) {
		answer_error(r, a, &err);
		return;
	}
	set_etag(a, &v);
	answer_json(a, 200, volume_json(&v));
}

void volumes_create(struct request *r, struct answer *a)
{
	json_t *json = read_body(r, a, "application/json");
	struct requester by = requester_of(r);
	struct capacity capacity = capacity_of(r);
	struct violations v = { .count = 0 };
	struct volume_creation what;
	struct volume_answer got;
	struct refusal refusal;
	struct volume_body body;

	if (!json)
		return;
	read_volume_body(json, &body, &v);
	json_decref(json);
	if (v.count) {
		answer_violations(r, a, &v);
		return;
	}
	what = (struct volume_creation){ read_tenant(r, a, body.tenant),
					 body.name, body.image,
					 body.size_bytes };
	if (!what.tenant)
		return;
	if (request_volume_create(r->db, &by, &capacity, &what, &got, &refusal))
		answer_refusal(r, a, &refusal);
	else
		answer_accepted(a, &got);
}

static void grow(struct request *r, struct answer *a, json_t *json,
		 const struct target *t)
{
	struct requester by = requester_of(r);
	struct capacity capacity = capacity_of(r);
	struct violations v = { .count = 0 };
	struct volume_answer got;
	struct volume_body body;
	struct refusal refusal;
	struct volume now;
	struct error err;

	if (volume_find(r->db, by.tenant, t->domain, &now, &err)) {
		answer_error(r, a, &err);
		return;
	}
	body.size_bytes = now.bytes;
	read_volume_patch(json, &body, &v);
	if (v.count)
		answer_violations(r, a, &v);
	else if (request_volume_grow(r->db, &by, &capacity, t, body.size_bytes,
				     &got, &refusal))
		answer_refusal(r, a, &refusal);
	else
		answer_accepted(a, &got);
}

void volumes_update(struct request *r, struct answer *a)
{
	struct target t = { .domain = r->words[0] };
	json_t *json;

	if (read_if_match(r, a, true, &t.version))
		return;
	json = read_body(r, a, "application/merge-patch+json");
	if (!json)
		return;
	grow(r, a, json, &t);
	json_decref(json);
}

void volumes_delete(struct request *r, struct answer *a)
{
	struct requester by = requester_of(r);
	struct target t = { .domain = r->words[0] };
	struct volume_answer got;
	struct refusal refusal;

	if (read_if_match(r, a, true, &t.version))
		return;
	if (request_volume_delete(r->db, &by, &t, &got, &refusal))
		answer_refusal(r, a, &refusal);
	else
		answer_accepted(a, &got);
}
