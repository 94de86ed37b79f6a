// SPDX-License-Identifier: Apache-2.0
/* The node itself: what it has and what is claimed of it, whether it is well,
 * and the same in numbers for who watches. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"
#include "store/domain_rows.h"
#include "store/node_rows.h"
#include "store/operation_rows.h"
#include "util/clock.h"

/* The contract, as it was when this program was built. */
__asm__(".section .rodata\n"
	"openapi_start:\n"
	".incbin \"api/openapi.yaml\"\n"
	"openapi_end:\n"
	".byte 0\n"
	".previous\n");
extern const char openapi_start[], openapi_end[];

void openapi_get(struct request *r, struct answer *a)
{
	(void)r;
	a->status = 200;
	a->type = "application/yaml";
	a->text = strdup(openapi_start);
}

static json_t *capacity_json(const struct capacity *c,
			     const struct claims *claims)
{
	uint64_t memory = claims->memory_bytes +
			  claims->domains * c->domain_overhead_bytes;

	return json_pack("{s{sI sI sI} s{sI sI} s{sI sI}}", "memory_bytes",
			 "limit", (json_int_t)c->memory_bytes, "claimed",
			 (json_int_t)memory, "overhead_per_domain",
			 (json_int_t)c->domain_overhead_bytes, "cpu_permille",
			 "limit", (json_int_t)c->cpu_permille, "claimed",
			 (json_int_t)claims->cpu_permille, "pool_bytes",
			 "limit", (json_int_t)c->pool_bytes, "claimed",
			 (json_int_t)claims->pool_bytes);
}

void host_get(struct request *r, struct answer *a)
{
	struct orchestration_status s;
	struct claims claims;
	int64_t stopping;
	struct error err;

	orchestration_status(r->api->orchestration, &s);
	if (domain_claims(r->db, NULL, &claims, &err) ||
	    node_stopping(r->db, &stopping, &err)) {
		answer_error(r, a, &err);
		return;
	}
	answer_json(a, 200,
		    json_pack("{si sI sI sI sI sb sb so}", "cpus",
			      (int)s.node.cpus, "memory_bytes",
			      (json_int_t)s.node.memory_bytes,
			      "free_memory_bytes",
			      (json_int_t)s.node.free_memory_bytes,
			      "pool_bytes", (json_int_t)s.node.pool_bytes,
			      "domains", (json_int_t)claims.domains, "healthy",
			      s.healthy, "stopping", stopping != 0, "capacity",
			      capacity_json(&s.capacity, &claims)));
}

void health_get(struct request *r, struct answer *a)
{
	(void)r;
	answer_json(a, 200, json_pack("{ss}", "status", "ok"));
}

void readiness_get(struct request *r, struct answer *a)
{
	struct orchestration_status s;
	int64_t stopping;
	struct error err;
	bool ready;

	orchestration_status(r->api->orchestration, &s);
	ready = s.healthy && node_stopping(r->db, &stopping, &err) == 0 &&
		!stopping;
	answer_json(a, ready ? 200 : 503,
		    json_pack("{ss}", "status", ready ? "ready" : "not-ready"));
}

static void add_gauge(struct strbuf *out, const char *name, const char *help)
{
	strbuf_add(out, "# HELP xenoserver_%s %s\n# TYPE xenoserver_%s gauge\n",
		   name, help, name);
}

struct tally {
	uint64_t counts[DOMAIN_STATES];
};

static int count(void *context, const struct domain *d, struct error *err)
{
	struct tally *t = context;

	(void)err;
	t->counts[d->state]++;
	return 0;
}

static int add_domains(struct strbuf *out, struct db *db, struct error *err)
{
	const struct domain_filter all = { .limit = INT64_MAX };
	struct tally t = { { 0 } };

	if (domain_list(db, &all, count, &t, err))
		return -1;
	add_gauge(out, "domains", "Domains by state.");
	for (unsigned int i = 0; i < DOMAIN_DESTROYED; i++)
		strbuf_add(out,
			   "xenoserver_domains{state=\"%s\"} %" PRIu64 "\n",
			   domain_state_word(i), t.counts[i]);
	return 0;
}

static int add_operations(struct strbuf *out, struct db *db, struct error *err)
{
	uint64_t counts[OPERATION_STATES];

	if (operation_counts(db, counts, err))
		return -1;
	add_gauge(out, "operations", "Operations by state.");
	for (unsigned int i = 0; i < OPERATION_STATES; i++)
		strbuf_add(out,
			   "xenoserver_operations{state=\"%s\"} %" PRIu64 "\n",
			   operation_state_word(i), counts[i]);
	return 0;
}

static int add_capacity(struct strbuf *out, struct request *r,
			struct error *err)
{
	struct orchestration_status s;
	struct claims c;

	orchestration_status(r->api->orchestration, &s);
	if (domain_claims(r->db, NULL, &c, err))
		return -1;
	add_gauge(out, "capacity_limit", "What there is for domains.");
	strbuf_add(
		out,
		"xenoserver_capacity_limit{resource=\"memory_bytes\"} %" PRIu64
		"\nxenoserver_capacity_limit{resource=\"cpu_permille\"} %" PRIu64
		"\nxenoserver_capacity_limit{resource=\"pool_bytes\"} %" PRIu64
		"\n",
		s.capacity.memory_bytes, s.capacity.cpu_permille,
		s.capacity.pool_bytes);
	add_gauge(out, "capacity_claimed", "What domains claim.");
	strbuf_add(
		out,
		"xenoserver_capacity_claimed{resource=\"memory_bytes\"} %" PRIu64
		"\nxenoserver_capacity_claimed{resource=\"cpu_permille\"} %" PRIu64
		"\nxenoserver_capacity_claimed{resource=\"pool_bytes\"} %" PRIu64
		"\n",
		c.memory_bytes + c.domains * s.capacity.domain_overhead_bytes,
		c.cpu_permille, c.pool_bytes);
	add_gauge(out, "healthy", "Whether store and machine answer.");
	strbuf_add(out, "xenoserver_healthy %d\n", s.healthy);
	return 0;
}

static void add_requests(struct strbuf *out, struct api *api)
{
	uint64_t ms = atomic_load(&api->answer_ms), all = 0;

	strbuf_add(
		out,
		"# HELP xenoserver_http_requests_total Answers by class of status.\n"
		"# TYPE xenoserver_http_requests_total counter\n");
	for (int i = 2; i < 6; i++) {
		uint64_t n = atomic_load(&api->answers[i]);

		all += n;
		strbuf_add(
			out,
			"xenoserver_http_requests_total{status=\"%dxx\"} %" PRIu64
			"\n",
			i, n);
	}
	strbuf_add(
		out,
		"# HELP xenoserver_http_request_duration_seconds Time to answer.\n"
		"# TYPE xenoserver_http_request_duration_seconds summary\n"
		"xenoserver_http_request_duration_seconds_sum %" PRIu64
		".%03" PRIu64
		"\nxenoserver_http_request_duration_seconds_count %" PRIu64
		"\n",
		ms / 1000, ms % 1000, all);
}

void metrics_get(struct request *r, struct answer *a)
{
	struct strbuf out = { .text = NULL };
	struct error err;

	if (add_domains(&out, r->db, &err) ||
	    add_operations(&out, r->db, &err) || add_capacity(&out, r, &err)) {
		strbuf_clear(&out);
		answer_error(r, a, &err);
		return;
	}
	add_requests(&out, r->api);
	a->status = 200;
	a->type = "text/plain; version=0.0.4";
	a->text = out.text;
}
