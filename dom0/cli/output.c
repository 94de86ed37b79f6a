// SPDX-License-Identifier: Apache-2.0
/* See output.h. */
#include "output.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
	[OUTPUT_TABLE] = "table",
	[OUTPUT_JSON] = "json",
	[OUTPUT_YAML] = "yaml",
	[OUTPUT_CSV] = "csv",
};

bool output_form_parse(const char *word, enum output_form *out)
{
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(word, words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

static void add_json(struct strbuf *out, json_t *value, size_t flags)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | flags);

	strbuf_add(out, "%s\n", text ? text : "null");
	free(text);
}

json_t *list_of(const struct layout *l, json_t *value)
{
	json_t *list = value;

	if (json_is_object(value))
		list = json_object_get(value, l->list ? l->list : "items");
	return json_is_array(list) ? list : NULL;
}

static void add_csv(struct strbuf *out, const struct layout *l, json_t *value)
{
	json_t *items = list_of(l, value);
	json_t *item;
	size_t i;

	if (l->headers &&
	    (l->columns || json_array_size(items) || !json_is_array(items)))
		csv_add_header(out, l,
			       json_is_array(items) ? json_array_get(items, 0)
						    : value);
	if (!json_is_array(items))
		csv_add(out, l, value);
	json_array_foreach(items, i, item)
	{
		csv_add(out, l, item);
	}
}

void output(struct strbuf *out, const struct layout *l, json_t *value)
{
	switch (l->form) {
	case OUTPUT_JSON:
		add_json(out, value, JSON_INDENT(2));
		break;
	case OUTPUT_YAML:
		yaml_add(out, value);
		break;
	case OUTPUT_CSV:
		add_csv(out, l, value);
		break;
	default:
		table_add(out, l, value);
		break;
	}
}

void output_next(struct strbuf *out, const struct layout *l, json_t *value,
		 bool first)
{
	switch (l->form) {
	case OUTPUT_JSON:
		add_json(out, value, JSON_COMPACT);
		break;
	case OUTPUT_YAML:
		strbuf_add(out, "---\n");
		yaml_add(out, value);
		break;
	case OUTPUT_CSV:
		if (first && l->headers)
			csv_add_header(out, l, value);
		csv_add(out, l, value);
		break;
	default:
		table_add_row(out, l, value, first);
		break;
	}
}
