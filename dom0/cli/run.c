// SPDX-License-Identifier: Apache-2.0
/* Commands that are one request, or a list of pages; see run.h. */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "request.h"
#include "wait.h"

#define PAGE_MOST 1000

struct layout layout_of(const struct call *c)
{
	static char list[24];
	const struct settings *s = &c->settings;
	const char *columns = c->command->columns;
	struct layout l = { .form = s->form, .headers = !s->no_headers };

	/* "@rules ..." are columns of the list of that name. */
	if (columns && *columns == '@') {
		snprintf(list, sizeof(list), "%.*s",
			 (int)strcspn(columns + 1, " "), columns + 1);
		l.list = list;
		columns += strcspn(columns, " ");
	}
	l.columns = s->columns ? s->columns : columns;
	return l;
}

void print(const struct call *c, json_t *value)
{
	struct layout l = layout_of(c);
	struct strbuf text = { .text = NULL };

	output(&text, &l, value);
	fputs(text.text ? text.text : "", stdout);
	strbuf_clear(&text);
}

bool show_request(const struct call *c, const struct request *r)
{
	struct strbuf line = { .text = NULL };

	if (!c->settings.show_request)
		return false;
	curl_line(&line, r, &c->settings);
	fputs(line.text, stdout);
	strbuf_clear(&line);
	return true;
}

enum status ask(const struct call *c, struct request *r, json_t **out)
{
	struct response a = { .status = 0 };
	enum status status = http_ask(&c->settings, r, &a);
	json_error_t why;

	*out = NULL;
	if (status == STATUS_OK && a.status >= 300)
		status = problem_report(&c->settings, &a);
	else if (status == STATUS_OK && a.text.length)
		*out = json_loadb(a.text.text, a.text.length,
				  JSON_DECODE_ANY | JSON_REJECT_DUPLICATES,
				  &why);
	if (status == STATUS_OK && a.text.length && !*out) {
		fprintf(stderr, "xeno: the answer is no JSON: %s\n", why.text);
		status = STATUS_NODE_FAILED;
	}
	response_clear(&a);
	return status;
}

enum status ask_command(struct call *c, json_t **out)
{
	enum status status = STATUS_USAGE;
	struct request r;

	*out = NULL;
	if (request_make(&r, c) == 0)
		status = show_request(c, &r) ? STATUS_OK : ask(c, &r, out);
	request_clear(&r);
	return status;
}

enum status run_show(struct call *c)
{
	json_t *value;
	enum status status = ask_command(c, &value);

	if (value)
		print(c, value);
	json_decref(value);
	return status;
}

enum status run_verify(struct call *c)
{
	json_t *value;
	enum status status = ask_command(c, &value);

	if (value)
		print(c, value);
	if (value && !json_is_true(json_object_get(value, "good")))
		status = STATUS_NOT_VERIFIED;
	json_decref(value);
	return status;
}

/* A table of lines has no place for what they come to. */
enum status run_bill(struct call *c)
{
	struct strbuf total = { .text = NULL };
	json_t *value;
	enum status status = ask_command(c, &value);

	if (value)
		print(c, value);
	if (c->settings.form == OUTPUT_TABLE && !c->settings.no_headers &&
	    money_text(&total, json_object_get(value, "total")))
		printf("total  %s\n", total.text);
	strbuf_clear(&total);
	json_decref(value);
	return status;
}

enum status run_explain(struct call *c)
{
	json_t *value, *line;
	enum status status = ask_command(c, &value);
	size_t i;

	json_array_foreach(json_object_get(value, "lines"), i, line)
	{
		const char *text =
			json_string_value(json_object_get(line, "text"));

		printf("%s%s", i ? "\n" : "", text ? text : "");
	}
	json_decref(value);
	return status;
}

enum status run_text(struct call *c)
{
	struct response a = { .status = 0 };
	enum status status = STATUS_OK;
	struct request r;

	if (request_make(&r, c)) {
		request_clear(&r);
		return STATUS_USAGE;
	}
	if (!show_request(c, &r)) {
		status = http_ask(&c->settings, &r, &a);
		if (status == STATUS_OK && a.status >= 300)
			status = problem_report(&c->settings, &a);
		else if (status == STATUS_OK && a.text.length)
			fwrite(a.text.text, 1, a.text.length, stdout);
	}
	response_clear(&a);
	request_clear(&r);
	return status;
}

/* What the next page is asked for with; false: there is none. */
static bool set_page(struct call *c, json_t *all)
{
	int64_t limit = c->settings.limit;
	size_t have = json_array_size(json_object_get(all, "items"));
	json_t *next = json_object_get(all, "next");
	char text[24];

	if (have && (!json_is_string(next) || (limit && have >= (size_t)limit)))
		return false;
	if (have)
		json_object_set(c->query, "cursor", next);
	limit -= (int64_t)have;
	if (c->settings.limit) {
		snprintf(text, sizeof(text), "%" PRId64,
			 limit < PAGE_MOST ? limit : PAGE_MOST);
		json_object_set_new(c->query, "limit", json_string(text));
	}
	return true;
}

enum status run_list(struct call *c)
{
	json_t *all = json_pack("{s[]sn}", "items", "next");
	enum status status = STATUS_OK;

	while (status == STATUS_OK && set_page(c, all)) {
		json_t *page = NULL, *items;
		struct request r;

		if (request_make(&r, c)) {
			status = STATUS_USAGE;
		} else if (show_request(c, &r)) {
			request_clear(&r);
			json_decref(all);
			return STATUS_OK;
		} else {
			status = ask(c, &r, &page);
		}
		items = json_object_get(page, "items");
		json_array_extend(json_object_get(all, "items"), items);
		if (page)
			json_object_set(all, "next",
					json_object_get(page, "next"));
		request_clear(&r);
		if (!json_array_size(items)) {
			json_decref(page);
			break;
		}
		json_decref(page);
	}
	if (status == STATUS_OK)
		print(c, all);
	json_decref(all);
	return status;
}

/* What of an imported domain has no effect; those who read JSON see it there.
 */
static void tell_ignored(const struct call *c, json_t *value)
{
	json_t *item;
	size_t i;

	if (c->settings.quiet || c->settings.form == OUTPUT_JSON ||
	    c->settings.form == OUTPUT_YAML)
		return;
	json_array_foreach(json_object_get(value, "ignored"), i, item)
	{
		fprintf(stderr, "xeno: ignored: %s\n", json_string_value(item));
	}
}

enum status run_send(struct call *c)
{
	json_t *value;
	enum status status;

	if (c->settings.dry_run)
		json_object_set_new(c->query, "dry_run", json_string("true"));
	status = ask_command(c, &value);
	if (status == STATUS_OK && c->settings.wait &&
	    json_object_get(value, "operation"))
		status = wait_for_answer(c, value);
	tell_ignored(c, value);
	if (c->settings.dry_run && !c->settings.columns)
		c->settings.columns = "admitted";
	if (value)
		print(c, value);
	json_decref(value);
	return status;
}
