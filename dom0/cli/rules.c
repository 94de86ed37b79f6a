// SPDX-License-Identifier: Apache-2.0
/* Rules are one document for the node: who adds one reads all, and writes all
 * back, if nobody else has meanwhile; else it is tried again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "run.h"
#include "size.h"
#include "wait.h"

#define TRIES 5

/* In tables and CSV each has its number, from 1. */
static void print_rules(const struct call *c, json_t *value)
{
	struct layout l = layout_of(c);
	json_t *item;
	size_t i;

	if (l.form == OUTPUT_TABLE || l.form == OUTPUT_CSV)
		json_array_foreach(list_of(&l, value), i, item)
		{
			json_object_set_new(item, "number",
					    json_integer((json_int_t)i + 1));
		}
	print(c, value);
}

enum status run_rule_list(struct call *c)
{
	json_t *value;
	enum status status = ask_command(c, &value);

	if (value)
		print_rules(c, value);
	json_decref(value);
	return status;
}

/* Changes the list. false: said why not. */
typedef bool (*change)(const struct call *c, json_t *rules);

static bool add(const struct call *c, json_t *rules)
{
	size_t count = json_array_size(rules);
	int64_t at = c->settings.at ? c->settings.at : (int64_t)count + 1;

	if (at <= (int64_t)count + 1)
		return !json_array_insert(rules, (size_t)at - 1, c->body);
	fprintf(stderr, "xeno: there are %zu rules\n", count);
	return false;
}

static bool delete (const struct call *c, json_t *rules)
{
	size_t count = json_array_size(rules);
	int64_t number;

	if (number_parse(c->words[0], &number) && number >= 1 &&
	    number <= (int64_t)count)
		return !json_array_remove(rules, (size_t)number - 1);
	fprintf(stderr, "xeno: %s is no rule; there are %zu\n", c->words[0],
		count);
	return false;
}

/* What is sent back; the answer's ETag says to which rules it belongs. */
static void make_put(struct request *r, const struct call *c,
		     const struct response *got, json_t *document)
{
	char *text = json_dumps(document, JSON_COMPACT);

	*r = (struct request){ .method = "PUT" };
	strbuf_add(&r->target, "%s", c->command->path);
	request_add_header(r, "Content-Type: application/json");
	request_add_header(r, "If-Match: %s", got->etag);
	strbuf_add(&r->body, "%s", text ? text : "");
	free(text);
}

/* Once: *again is set if others were faster. */
static enum status try_change(struct call *c, change make, bool *again)
{
	struct response got = { .status = 0 }, done = { .status = 0 };
	json_t *document = NULL, *value = NULL;
	struct request r;
	enum status status;

	*again = false;
	request_get(&r, c->command->path);
	status = http_ask(&c->settings, &r, &got);
	request_clear(&r);
	if (status == STATUS_OK && got.status != 200)
		status = problem_report(&c->settings, &got);
	else if (status == STATUS_OK)
		document = json_loadb(got.text.text ? got.text.text : "",
				      got.text.length, 0, NULL);
	if (document && !make(c, json_object_get(document, "rules")))
		status = STATUS_USAGE;
	if (document && status == STATUS_OK) {
		make_put(&r, c, &got, document);
		if (!show_request(c, &r))
			status = http_ask(&c->settings, &r, &done);
		request_clear(&r);
		*again = status == STATUS_OK && done.status == 412;
		if (status == STATUS_OK && done.status >= 300 && !*again)
			status = problem_report(&c->settings, &done);
		else if (status == STATUS_OK && done.status == 200)
			value = json_loadb(done.text.text, done.text.length, 0,
					   NULL);
	}
	if (value)
		print_rules(c, value);
	json_decref(value);
	json_decref(document);
	response_clear(&got);
	response_clear(&done);
	return status;
}

static enum status change_rules(struct call *c, change make)
{
	enum status status = STATUS_CONFLICT;
	bool again = true;

	for (int i = 0; i < TRIES && again; i++)
		status = try_change(c, make, &again);
	if (!again)
		return status;
	fprintf(stderr, "xeno: others change the rules all the time\n");
	return STATUS_CONFLICT;
}

enum status run_rule_add(struct call *c)
{
	return change_rules(c, add);
}

enum status run_rule_delete(struct call *c)
{
	return change_rules(c, delete);
}
