// SPDX-License-Identifier: Apache-2.0
/* Problem documents, for people and as an exit status. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"

#define TYPE_PREFIX "urn:xenoserver:problem:"

static const char *text_at(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static enum status worth(long status, const char *slug)
{
	if (strcmp(slug, "insufficient-capacity") == 0)
		return STATUS_NO_ROOM;
	switch (status) {
	case 401:
	case 403:
		return STATUS_DENIED;
	case 404:
	case 410:
		return STATUS_NOT_FOUND;
	case 409:
	case 412:
	case 428:
		return STATUS_CONFLICT;
	default:
		return status >= 500 ? STATUS_NODE_FAILED : STATUS_FAILED;
	}
}

/* Each field that is wrong, or each resource that is short. */
static void add_details(struct strbuf *out, json_t *problem)
{
	json_t *item, *allowed = json_object_get(problem, "allowed_actions");
	json_t *errors = json_object_get(problem, "errors");
	size_t i;

	/* The detail has the first. */
	json_array_foreach(errors, i, item)
	{
		if (json_array_size(errors) == 1)
			break;
		strbuf_add(out, "  %s is %s; it has to be %s\n",
			   text_at(item, "field"), text_at(item, "value"),
			   text_at(item, "limit"));
	}
	json_array_foreach(json_object_get(problem, "resources"), i, item)
	{
		strbuf_add(out, "  %s: at most %lld would fit\n",
			   text_at(item, "field"),
			   (long long)json_integer_value(
				   json_object_get(item, "nearest_feasible")));
	}
	if (json_is_array(allowed)) {
		strbuf_add(out, "  possible now: ");
		leaf_text(out, allowed);
		strbuf_add(out, "\n");
	}
}

/* Tenants' words are among it: nothing that moves a cursor. */
static void print_visible(const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 && *text != '\n' ? '.'
								   : *text,
		      stderr);
}

enum status problem_report(const struct settings *s, const struct response *a)
{
	json_t *problem =
		a->text.text ? json_loads(a->text.text, 0, NULL) : NULL;
	const char *slug = text_at(problem, "type");
	struct strbuf text = { .text = NULL };
	enum status status;

	if (strncmp(slug, TYPE_PREFIX, strlen(TYPE_PREFIX)) == 0)
		slug += strlen(TYPE_PREFIX);
	status = worth(a->status, slug);
	if (!json_is_object(problem)) {
		strbuf_add(&text,
			   "xeno: the answer is %ld, and it is no "
			   "problem document: is this a node?\n",
			   a->status);
	} else if (s->form == OUTPUT_JSON) {
		struct layout l = { .form = OUTPUT_JSON };

		output(&text, &l, problem);
	} else {
		strbuf_add(&text, "xeno: %s (%s)\n", text_at(problem, "detail"),
			   slug);
		add_details(&text, problem);
		if (status == STATUS_NODE_FAILED)
			strbuf_add(&text, "  %s\n", a->request_id);
	}
	print_visible(text.text);
	strbuf_clear(&text);
	json_decref(problem);
	return status;
}
