// SPDX-License-Identifier: Apache-2.0
/* Tables: columns as wide as what is in them. What others have put into a name
 * or a label must not move the cursor: control characters are shown as points.
 */
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "size.h"

#define GAP 2

/* Length of the control character here: C0, DEL, or C1 as UTF-8; 0: none. */
static size_t control_length(const unsigned char *p)
{
	if (*p < 0x20 || *p == 0x7f)
		return 1;
	return *p == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f ? 2 : 0;
}

static void add_visible(struct strbuf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		size_t skip = control_length(p);

		if (skip)
			strbuf_add_bytes(out, ".", 1);
		else
			strbuf_add_bytes(out, p, 1);
		p += skip ? skip : 1;
	}
}

static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

/* For free(). */
static char *cell(const struct column *c, json_t *value)
{
	struct strbuf raw = { .text = NULL }, shown = { .text = NULL };
	char size[SIZE_TEXT_MAX];

	value = member_at(value, c->path);
	if (c->money && money_text(&raw, value))
		value = NULL;
	else if (c->size && json_is_integer(value))
		strbuf_add(&raw, "%s",
			   size_text(json_integer_value(value), size));
	else
		leaf_text(&raw, value);
	strbuf_add(&shown, "%s", "");
	add_visible(&shown, raw.length ? raw.text : "-");
	strbuf_clear(&raw);
	return shown.text;
}

static void add_cell(struct strbuf *out, const char *text, size_t width,
		     bool last)
{
	size_t used = width_of(text);

	strbuf_add(out, "%s", text);
	if (last) {
		strbuf_add(out, "\n");
		return;
	}
	for (; used < width; used++)
		strbuf_add(out, " ");
	strbuf_add(out, "%*s", GAP, "");
}

static void add_columns(struct strbuf *out, const struct column *columns,
			unsigned int count, json_t *list, bool headers)
{
	size_t rows = json_array_size(list), width[COLUMNS_MAX] = { 0 };
	char **cells = calloc(rows * count + 1, sizeof(*cells));

	if (!cells)
		abort();
	for (unsigned int j = 0; j < count; j++) {
		if (headers)
			width[j] = width_of(columns[j].header);
		for (size_t i = 0; i < rows; i++) {
			char *text = cell(&columns[j], json_array_get(list, i));

			cells[i * count + j] = text;
			if (width_of(text) > width[j])
				width[j] = width_of(text);
		}
	}
	for (unsigned int j = 0; j < count && headers; j++)
		add_cell(out, columns[j].header, width[j], j + 1 == count);
	for (size_t i = 0; i < rows * count; i++) {
		add_cell(out, cells[i], width[i % count], (i + 1) % count == 0);
		free(cells[i]);
	}
	free(cells);
}

/* One thing: a line for each member. */
static void add_record(struct strbuf *out, json_t *value)
{
	json_t *all = flatten(value), *member;
	size_t width = 0;
	const char *key;

	json_object_foreach(all, key, member)
	{
		if (width_of(key) > width)
			width = width_of(key);
	}
	json_object_foreach(all, key, member)
	{
		struct strbuf text = { .text = NULL };

		leaf_text(&text, member);
		add_cell(out, key, width, false);
		add_visible(out, text.length ? text.text : "-");
		strbuf_add(out, "\n");
		strbuf_clear(&text);
	}
	json_decref(all);
}

void table_add(struct strbuf *out, const struct layout *l, json_t *value)
{
	json_t *items = list_of(l, value);
	struct column columns[COLUMNS_MAX];
	unsigned int count = 0;
	json_t *list;

	if (l->columns)
		count = columns_parse(l->columns, columns);
	if (!count && !json_is_array(items)) {
		add_record(out, value);
		return;
	}
	if (!count) {
		size_t i;
		json_t *item;

		json_array_foreach(items, i, item)
		{
			strbuf_add(out, "%s", i ? "\n" : "");
			add_record(out, item);
		}
		return;
	}
	list = json_is_array(items) ? json_incref(items)
				    : json_pack("[O]", value);
	add_columns(out, columns, count, list, l->headers);
	json_decref(list);
}

void table_add_row(struct strbuf *out, const struct layout *l, json_t *value,
		   bool first)
{
	struct column columns[COLUMNS_MAX];
	unsigned int count =
		columns_parse(l->columns ? l->columns : "", columns);

	for (unsigned int j = 0; j < count && first && l->headers; j++)
		add_cell(out, columns[j].header, columns[j].width,
			 j + 1 == count);
	for (unsigned int j = 0; j < count; j++) {
		char *text = cell(&columns[j], value);

		add_cell(out, text, columns[j].width, j + 1 == count);
		free(text);
	}
}
