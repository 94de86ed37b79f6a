// SPDX-License-Identifier: Apache-2.0
/* CSV as RFC 4180 has it, but for its lines, which end as lines do here. */
#include <string.h>

#include "output.h"

void csv_quote(struct strbuf *out, const char *text)
{
	size_t length = strlen(text);

	if (!strpbrk(text, ",\"\r\n") && *text != ' ' &&
	    (!length || text[length - 1] != ' ')) {
		strbuf_add(out, "%s", text);
		return;
	}
	strbuf_add(out, "\"");
	for (; *text; text++)
		strbuf_add(out, *text == '"' ? "\"\"" : "%c", *text);
	strbuf_add(out, "\"");
}

static void add_field(struct strbuf *out, json_t *value, bool first)
{
	struct strbuf text = { .text = NULL };

	leaf_text(&text, value);
	strbuf_add(out, "%s", first ? "" : ",");
	csv_quote(out, text.text ? text.text : "");
	strbuf_clear(&text);
}

/* Money in whole micro-units: it is in its own column for programs. */
static const char *path_in(const struct column *c, char out[160])
{
	snprintf(out, 160, "%s%s", c->path, c->money ? ".micro" : "");
	return out;
}

/* The paths of the columns, or else of all members of the value. */
void csv_add_header(struct strbuf *out, const struct layout *l, json_t *value)
{
	struct column columns[COLUMNS_MAX];
	unsigned int count =
		l->columns ? columns_parse(l->columns, columns) : 0;
	json_t *all = json_object(), *member;
	const char *key, *comma = "";
	char path[160];

	if (!count)
		json_object_update_new(all, flatten(value));
	for (unsigned int j = 0; j < count; j++)
		json_object_set_new(all, path_in(&columns[j], path),
				    json_null());
	json_object_foreach(all, key, member)
	{
		strbuf_add(out, "%s", comma);
		csv_quote(out, key);
		comma = ",";
	}
	strbuf_add(out, "\n");
	json_decref(all);
}

void csv_add(struct strbuf *out, const struct layout *l, json_t *value)
{
	struct column columns[COLUMNS_MAX];
	unsigned int count =
		l->columns ? columns_parse(l->columns, columns) : 0;
	json_t *all = count ? NULL : flatten(value), *member;
	bool first = true;
	const char *key;
	char path[160];

	for (unsigned int j = 0; j < count; j++)
		add_field(out, member_at(value, path_in(&columns[j], path)),
			  j == 0);
	json_object_foreach(all, key, member)
	{
		add_field(out, member, first);
		first = false;
	}
	strbuf_add(out, "\n");
	json_decref(all);
}
