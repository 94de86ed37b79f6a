// SPDX-License-Identifier: Apache-2.0
/* See wait.h. The node answers when the operation is finished, or after a
 * moment, to tell how far it is. */
#include "wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run.h"

#define USUAL_TIMEOUT_S 300
#define LOOK_EVERY_S 1

static int64_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* The last act of the journal. */
static const char *act_of(json_t *operation)
{
	json_t *acts = json_object_get(operation, "acts");
	size_t count = json_array_size(acts);

	return count ? text_at(json_array_get(acts, count - 1), "act") : "";
}

struct progress {
	char last[160];
	bool terminal, quiet;
	int64_t began_s;
};

/* One line that is written again and again on a terminal; else a line for each
 * change. */
static void tell(struct progress *p, json_t *operation)
{
	const char *act = act_of(operation);
	char line[160];

	if (p->quiet)
		return;
	snprintf(line, sizeof(line), "%s %s: %s%s%s",
		 text_at(operation, "kind"), text_at(operation, "id"),
		 text_at(operation, "state"), *act ? ", " : "", act);
	if (p->terminal)
		fprintf(stderr, "\r%-*s %" PRId64 " s ", (int)strlen(p->last),
			line, now_s() - p->began_s);
	else if (strcmp(line, p->last) != 0)
		fprintf(stderr, "%s\n", line);
	memcpy(p->last, line, sizeof(line));
}

static bool finished(json_t *operation)
{
	const char *state = text_at(operation, "state");

	return strcmp(state, "succeeded") == 0 || strcmp(state, "failed") == 0;
}

static enum status outcome(json_t *operation)
{
	json_t *problem = json_object_get(operation, "problem");

	if (strcmp(text_at(operation, "state"), "failed") != 0)
		return STATUS_OK;
	fprintf(stderr, "xeno: %s has failed: %s (%s)\n",
		text_at(operation, "id"), text_at(problem, "detail"),
		text_at(problem, "code"));
	return STATUS_FAILED;
}

/* *out: the operation as it was last seen. */
static enum status wait_for(const struct call *c, const char *id, json_t **out)
{
	const struct settings *s = &c->settings;
	int64_t limit_s = s->timeout_s ? s->timeout_s : USUAL_TIMEOUT_S;
	struct progress p = { .terminal = isatty(STDERR_FILENO),
			      .quiet = s->quiet,
			      .began_s = now_s() };
	int look_s = 0;

	*out = NULL;
	for (;;) {
		char target[128];
		enum status status;
		struct request r;

		json_decref(*out);
		snprintf(target, sizeof(target), "/v1/operations/%.60s?wait=%d",
			 id, look_s);
		look_s = LOOK_EVERY_S;
		request_get(&r, target);
		status = ask(c, &r, out);
		request_clear(&r);
		if (*out)
			tell(&p, *out);
		if (status == STATUS_OK && !finished(*out) &&
		    now_s() - p.began_s < limit_s)
			continue;
		if (p.terminal && !p.quiet)
			fputc('\n', stderr);
		if (status != STATUS_OK)
			return status;
		if (finished(*out))
			return outcome(*out);
		fprintf(stderr,
			"xeno: %s goes on: not finished after %" PRId64 " s\n",
			id, limit_s);
		return STATUS_TIMEOUT;
	}
}

/* What the operation was about, as it is now; gone, if it was to go. */
static void refresh(const struct call *c, json_t *answer, const char *target)
{
	struct response a = { .status = 0 };
	struct request r;
	const char *key;
	json_t *value;

	if (!*target)
		return;
	request_get(&r, target);
	if (http_ask(&c->settings, &r, &a) == STATUS_OK && a.status == 200) {
		json_object_foreach(answer, key, value)
		{
			json_t *now =
				json_loadb(a.text.text, a.text.length, 0, NULL);

			if (strcmp(key, "operation") != 0 &&
			    json_is_object(value) && now)
				json_object_set(answer, key, now);
			json_decref(now);
		}
	}
	request_clear(&r);
	response_clear(&a);
}

enum status wait_for_answer(const struct call *c, json_t *answer)
{
	json_t *operation = json_object_get(answer, "operation"), *last;
	enum status status = wait_for(c, text_at(operation, "id"), &last);

	if (last) {
		refresh(c, answer, text_at(last, "target"));
		json_object_set_new(answer, "operation", last);
	}
	return status;
}

enum status run_wait(struct call *c)
{
	enum status status;
	struct request r;
	json_t *last;

	if (request_make(&r, c))
		return STATUS_USAGE;
	if (show_request(c, &r)) {
		request_clear(&r);
		return STATUS_OK;
	}
	request_clear(&r);
	status = wait_for(c, c->words[0], &last);
	if (last)
		print(c, last);
	json_decref(last);
	return status;
}
