// SPDX-License-Identifier: Apache-2.0
/* See door.h: what comes over the wire becomes a request, and its answer goes
 * over the wire. */
#include "api/door.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/desk.h"
#include "api/listener.h"
#include "store/ledger.h"
#include "util/clock.h"
#include "util/log.h"

#define CONNECTIONS_MAX 512
#define IDLE_TIMEOUT_S 60U
#define STREAM_BLOCK_BYTES 4096

struct door {
	struct api *api;
	struct db *db;
	bool local;
	struct MHD_Daemon *daemon;
	char *certificate, *key;
};

const char *request_header(const struct request *r, const char *name)
{
	return MHD_lookup_connection_value(r->connection, MHD_HEADER_KIND,
					   name);
}

const char *request_query(const struct request *r, const char *name)
{
	const char *value = NULL;

	if (MHD_lookup_connection_value_n(r->connection, MHD_GET_ARGUMENT_KIND,
					  name, strlen(name), &value,
					  NULL) == MHD_NO)
		return NULL;
	return value ? value : "";
}

struct stray {
	const char *known, *found;
};

static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += *at == ',') {
		size_t word = strcspn(at, ",");

		if (word == length && memcmp(at, name, length) == 0)
			return true;
		at += word;
	}
	return false;
}

static enum MHD_Result look_for_stray(void *context, enum MHD_ValueKind kind,
				      const char *key, const char *value)
{
	struct stray *s = context;

	(void)kind;
	(void)value;
	if (!s->found && !listed(s->known, key))
		s->found = key;
	return MHD_YES;
}

const char *request_stray_query(const struct request *r, const char *known)
{
	struct stray s = { known, NULL };

	MHD_get_connection_values(r->connection, MHD_GET_ARGUMENT_KIND,
				  look_for_stray, &s);
	return s.found;
}

void answer_header(struct answer *a, const char *name, uint64_t value)
{
	a->headers[a->header_count].name = name;
	a->headers[a->header_count++].value = value;
}

static ssize_t read_stream(void *context, uint64_t position, char *out,
			   size_t max)
{
	ssize_t count = event_stream_read(context, out, max);

	(void)position;
	return count < 0 ? MHD_CONTENT_READER_END_OF_STREAM : count;
}

static void free_stream(void *context)
{
	event_stream_close(context);
}

static struct MHD_Response *make_response(struct request *r, struct answer *a)
{
	struct event_stream *s;

	if (a->upgrade)
		return console_response(r);
	if (!a->stream)
		return MHD_create_response_from_buffer(
			a->has_bytes ? a->text_bytes
			: a->text    ? strlen(a->text)
				     : 0,
			a->text, MHD_RESPMEM_MUST_FREE);
	s = event_stream_open(r, a->stream_after);
	if (!s)
		return NULL;
	a->type = "text/event-stream";
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN,
						 STREAM_BLOCK_BYTES,
						 read_stream, s, free_stream);
}

static void add(struct MHD_Response *m, const char *name, const char *value)
{
	if (value && *value)
		MHD_add_response_header(m, name, value);
}

static void add_more(struct MHD_Response *m, const struct answer *a)
{
	char number[24];

	for (unsigned int i = 0; i < a->header_count; i++) {
		snprintf(number, sizeof(number), "%" PRIu64,
			 a->headers[i].value);
		add(m, a->headers[i].name, number);
	}
	add(m, "Upgrade", a->upgrade_wanted ? "websocket" : NULL);
	add(m, "Sec-WebSocket-Version", a->upgrade_wanted ? "13" : NULL);
}

static enum MHD_Result send_answer(struct request *r, struct answer *a)
{
	struct MHD_Response *m = make_response(r, a);
	int64_t ms = monotonic_now_ms() - r->started_ms;
	char number[16];
	enum MHD_Result sent;

	if (!m)
		return MHD_NO;
	add(m, "Content-Type", a->text || a->stream ? a->type : NULL);
	add(m, "Request-Id", r->id);
	add(m, "Location", a->location);
	add(m, "ETag", a->etag);
	add(m, "Allow", a->allow);
	add(m, "Link", a->link);
	add(m, "Cache-Control", "no-store");
	add(m, "Idempotent-Replayed", a->replayed ? "true" : NULL);
	add(m, "WWW-Authenticate", a->challenge ? "Bearer" : NULL);
	snprintf(number, sizeof(number), "%u", a->retry_after_s);
	add(m, "Retry-After", a->retry_after_s ? number : NULL);
	add_more(m, a);
	log_info(
		"op=http method=%.10s route=%s status=%d ms=%lld request=%s actor=%s",
		r->method, route_name(r), a->status, (long long)ms, r->id,
		*r->caller.actor ? r->caller.actor : "-");
	atomic_fetch_add(&r->api->answers[a->status / 100 % 6], 1);
	atomic_fetch_add(&r->api->answer_ms, (unsigned long)ms);
	sent = MHD_queue_response(r->connection, (unsigned int)a->status, m);
	MHD_destroy_response(m);
	return sent;
}

/* With the head of a request. Who sends little hears what is wrong with it at
 * the end: it might not look for an answer while it still sends. */
static enum MHD_Result begin(struct request *r)
{
	const char *length = request_header(r, "Content-Length");
	struct answer a = { .status = 0 };

	route_head(r, &a);
	if (!a.status)
		return MHD_YES;
	if (!length || strtoull(length, NULL, 10) > BODY_MAX_BYTES ||
	    request_header(r, "Expect"))
		return send_answer(r, &a);
	free(a.text);
	r->body_most = BODY_MAX_BYTES;
	return MHD_YES;
}

static enum MHD_Result answer(struct request *r)
{
	struct hub *hub = r->api->hub;
	struct answer a;

	for (;;) {
		uint64_t generation = hub_generation(hub);

		a = (struct answer){ .status = 0 };
		route_request(r, &a);
		if (a.wait_until_ms <= monotonic_now_ms() || hub_drained(hub))
			break;
		free(a.text);
		/* Resumed, it is answered from the start. */
		if (hub_wait(hub, r->connection, generation, a.wait_until_ms))
			return MHD_YES;
	}
	return send_answer(r, &a);
}

static struct request *new_request(struct door *d, struct MHD_Connection *c,
				   const char *path, const char *method)
{
	struct request *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->api = d->api;
	r->db = d->db;
	r->connection = c;
	r->local = d->local;
	r->path = path;
	r->method = method;
	r->started_ms = monotonic_now_ms();
	id_make(r->id, "req");
	return r;
}

/* Called with the head of a request, with each piece of its body, and when it
 * is whole; and again when it was resumed. */
/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd says what it gets */
static enum MHD_Result handle(void *context, struct MHD_Connection *c,
			      const char *path, const char *method,
			      const char *version, const char *piece,
			      size_t *piece_bytes, void **state)
{
	struct request *r = *state;

	(void)version;
	if (!r) {
		*state = r = new_request(context, c, path, method);
		return r ? begin(r) : MHD_NO;
	}
	if (!*piece_bytes)
		return answer(r);
	/* The rest of what is too much is read, and forgotten. */
	if (r->upload)
		images_put_piece(r, piece, *piece_bytes);
	else if (*piece_bytes > r->body_most - r->body.length)
		r->too_large = true;
	else
		strbuf_add_bytes(&r->body, piece, *piece_bytes);
	*piece_bytes = 0;
	return MHD_YES;
}

static void finished(void *context, struct MHD_Connection *c, void **state,
		     enum MHD_RequestTerminationCode why)
{
	struct request *r = *state;

	(void)context;
	(void)c;
	(void)why;
	if (!r)
		return;
	strbuf_clear(&r->body);
	desk_release(r);
	images_put_forget(r);
	free(r);
	*state = NULL;
}

static int start(struct door *d, int fd, unsigned int more, struct error *err)
{
	struct MHD_OptionItem tls[] = {
		{ d->certificate ? MHD_OPTION_HTTPS_MEM_CERT : MHD_OPTION_END,
		  0, d->certificate },
		{ MHD_OPTION_HTTPS_MEM_KEY, 0, d->key },
		{ MHD_OPTION_END, 0, NULL },
	};

	d->daemon = MHD_start_daemon(
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			MHD_ALLOW_UPGRADE | more,
		0, NULL, NULL, handle, d, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_TIMEOUT_S,
		MHD_OPTION_NOTIFY_COMPLETED, finished, NULL, MHD_OPTION_ARRAY,
		tls, MHD_OPTION_END);
	if (!d->daemon)
		return error_set(err, ERR_SYSTEM,
				 "the HTTP server does not start: %s",
				 strerror(errno));
	return 0;
}

static struct door *new_door(struct api *api, bool local, struct error *err)
{
	struct door *d = calloc(1, sizeof(*d));
	struct acct_store *ledger;

	if (!d) {
		error_fill(err, ERR_SYSTEM, "no memory");
		return NULL;
	}
	d->api = api;
	d->local = local;
	/* The ledger is opened outside of any transaction. */
	if (db_open(&d->db, api->options.orchestration.store_path, err) ||
	    ledger_open(d->db, &ledger, err)) {
		db_close(d->db);
		free(d);
		return NULL;
	}
	return d;
}

int door_open_local(struct door **out, struct api *api, struct error *err)
{
	struct door *d = new_door(api, true, err);
	int fd;

	if (!d)
		return -1;
	fd = listen_local(api->options.socket_path, api->options.operator_group,
			  err);
	if (fd < 0 || start(d, fd, 0, err)) {
		door_close(d);
		return -1;
	}
	*out = d;
	return 0;
}

int door_open_tcp(struct door **out, struct api *api, struct error *err)
{
	const struct service_options *o = &api->options;
	struct door *d = new_door(api, false, err);
	bool tls = o->certificate_path && o->key_path;
	int fd;

	if (!d)
		return -1;
	if (tls) {
		d->certificate = read_pem(o->certificate_path, err);
		d->key = d->certificate ? read_pem(o->key_path, err) : NULL;
	}
	fd = tls && !d->key ? -1 : listen_tcp(o->tcp_address, !tls, err);
	if (fd < 0 || start(d, fd, tls ? MHD_USE_TLS : 0, err)) {
		door_close(d);
		return -1;
	}
	*out = d;
	return 0;
}

void door_close(struct door *d)
{
	if (!d)
		return;
	if (d->daemon)
		MHD_stop_daemon(d->daemon);
	db_close(d->db);
	free(d->certificate);
	if (d->key)
		explicit_bzero(d->key, strlen(d->key));
	free(d->key);
	free(d);
}
