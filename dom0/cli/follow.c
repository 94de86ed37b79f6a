// SPDX-License-Identifier: Apache-2.0
/* The stream of events. When the connection is lost, it goes on after the last
 * event that was printed, so there are no gaps. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "sse.h"
#include "wait.h"

#define PAUSE_S 1
/* A minute, for a node that begins anew. */
#define TRIES_AGAIN 30

struct following {
	const struct call *call;
	int64_t printed;
	bool enough, begun;
	struct sse sse;
};

static bool print_event(void *context, const char *id, const char *data)
{
	struct following *f = context;
	struct layout l = layout_of(f->call);
	struct strbuf text = { .text = NULL };
	json_t *event = json_loads(data, 0, NULL);

	(void)id;
	if (!event)
		return true;
	output_next(&text, &l, event, !f->printed++);
	fputs(text.text, stdout);
	fflush(stdout);
	strbuf_clear(&text);
	json_decref(event);
	f->enough = f->printed == f->call->settings.count || ferror(stdout);
	return !f->enough;
}

static bool take(void *context, const char *bytes, size_t count)
{
	struct following *f = context;

	return sse_feed(&f->sse, bytes, count);
}

/* After the last event that was seen, or where it was said to begin. */
static void make(struct request *r, struct following *f)
{
	const char *after = *f->sse.id ? f->sse.id : f->call->settings.after;

	request_get(r, f->call->command->path);
	r->sink = take;
	r->context = f;
	r->tries = f->begun ? TRIES_AGAIN : 0;
	if (after)
		request_add_header(r, "Last-Event-ID: %s", after);
}

enum status run_follow(struct call *c)
{
	struct following f = { .call = c, .sse = { .event = print_event } };
	enum status status = STATUS_OK;

	f.sse.context = &f;
	while (status == STATUS_OK && !f.enough) {
		struct response a = { .status = 0 };
		struct request r;

		make(&r, &f);
		if (show_request(c, &r)) {
			request_clear(&r);
			break;
		}
		sse_reset(&f.sse);
		status = http_ask(&c->settings, &r, &a);
		if (status == STATUS_OK && a.status != 200)
			status = problem_report(&c->settings, &a);
		f.begun = true;
		if (status == STATUS_OK && !f.enough)
			sleep(PAUSE_S);
		request_clear(&r);
		response_clear(&a);
	}
	strbuf_clear(&f.sse.line);
	strbuf_clear(&f.sse.data);
	return status;
}
