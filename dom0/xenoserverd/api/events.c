// SPDX-License-Identifier: Apache-2.0
/*
 * /v1/events: server-sent events from the store, in order, without gaps: who
 * lost the connection goes on after the last id that it has seen. Each stream
 * belongs to the thread of its connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"
#include "store/event_rows.h"
#include "util/clock.h"
#include "util/log.h"

#define HEARTBEAT_MS 15000
#define BATCH 64

struct event_stream {
	struct api *api;
	struct db *db;
	struct MHD_Connection *connection;
	char tenant[TENANT_MAX]; /* "": everybody's */
	int64_t after;
	int64_t beat_ms; /* when something has to be said next */
	struct strbuf text;
	size_t sent;
};

void events_get(struct request *r, struct answer *a)
{
	const char *text = request_header(r, "Last-Event-ID");
	int64_t oldest, newest;
	struct error err;
	char *end;

	if (!text)
		text = request_query(r, "after");
	if (event_range(r->db, &oldest, &newest, &err)) {
		answer_error(r, a, &err);
		return;
	}
	a->stream = true;
	a->status = 200;
	a->stream_after = newest;
	if (!text)
		return;
	a->stream_after = strtoll(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end &&
	    a->stream_after <= newest && a->stream_after >= oldest - 1)
		return;
	a->stream = false;
	if (*text < '0' || *text > '9' || *end)
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{so}", "value", text_json(text)),
			       "the id of an event is a number");
	else
		answer_problem(r, a, PROBLEM_GONE,
			       json_pack("{sI sI}", "oldest",
					 (json_int_t)oldest, "newest",
					 (json_int_t)newest),
			       "events %lld to %lld are there",
			       (long long)oldest, (long long)newest);
}

struct event_stream *event_stream_open(const struct request *r, int64_t after)
{
	struct event_stream *s = calloc(1, sizeof(*s));
	const char *tenant = request_tenant(r);

	if (!s)
		return NULL;
	s->api = r->api;
	s->db = r->db;
	s->connection = r->connection;
	snprintf(s->tenant, sizeof(s->tenant), "%s", tenant ? tenant : "");
	s->after = after;
	s->beat_ms = monotonic_now_ms() + HEARTBEAT_MS;
	/* Says that it has begun. */
	strbuf_add(&s->text, "retry: 1000\n\n");
	return s;
}

void event_stream_close(struct event_stream *s)
{
	strbuf_clear(&s->text);
	free(s);
}

static int add(void *context, const struct event *e, struct error *err)
{
	struct event_stream *s = context;
	json_t *json = event_json(e);
	char *text = json_dumps(json, JSON_COMPACT);

	(void)err;
	json_decref(json);
	if (text)
		strbuf_add(&s->text, "id: %lld\nevent: %s\ndata: %s\n\n",
			   (long long)e->id, e->type, text);
	free(text);
	s->after = e->id;
	return 0;
}

static ssize_t take(struct event_stream *s, char *out, size_t max)
{
	size_t count = s->text.length - s->sent;

	if (count > max)
		count = max;
	memcpy(out, s->text.text + s->sent, count);
	s->sent += count;
	if (s->sent == s->text.length) {
		strbuf_clear(&s->text);
		s->sent = 0;
	}
	s->beat_ms = monotonic_now_ms() + HEARTBEAT_MS;
	return (ssize_t)count;
}

ssize_t event_stream_read(struct event_stream *s, char *out, size_t max)
{
	uint64_t generation = hub_generation(s->api->hub);
	struct error err;

	if (hub_drained(s->api->hub))
		return -1;
	if (!s->text.length &&
	    event_list(s->db, s->after, *s->tenant ? s->tenant : NULL, BATCH,
		       add, s, &err)) {
		log_failure("op=events message=\"%s\"", err.message);
		return -1;
	}
	if (!s->text.length && monotonic_now_ms() >= s->beat_ms)
		strbuf_add(&s->text, ":\n\n");
	if (s->text.length)
		return take(s, out, max);
	hub_wait(s->api->hub, s->connection, generation, s->beat_ms);
	return 0;
}
