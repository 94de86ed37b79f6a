// SPDX-License-Identifier: Apache-2.0
/* See parts.h. */
#include "parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

/* The key of a part ends at its '='; a part without one is a word, or it is
 * what the key "" stands for. */
static const struct part *find(const struct part *table, const char *text,
			       const char *value, bool first)
{
	size_t length = value ? (size_t)(value - text) : strlen(text);

	for (const struct part *p = table; p->key; p++) {
		bool word = p->kind == PART_TRUE || p->kind == PART_FALSE;

		if (*p->key && word == !value && strlen(p->key) == length &&
		    memcmp(p->key, text, length) == 0)
			return p;
	}
	for (const struct part *p = table; p->key && first && !value; p++)
		if (!*p->key)
			return p;
	return NULL;
}

static json_t *value_of(const struct part *p, const char *text)
{
	int64_t number;

	switch (p->kind) {
	case PART_SIZE:
		return size_parse(text, &number) ? json_integer(number) : NULL;
	case PART_NUMBER:
		return number_parse(text, &number) ? json_integer(number)
						   : NULL;
	case PART_TRUE:
		return json_true();
	case PART_FALSE:
		return json_false();
	default:
		return json_string(text);
	}
}

static int put(json_t *all, const struct part *p, json_t *value)
{
	json_t *list = json_object_get(all, p->field);

	if (p->kind != PART_LIST) {
		if (list) {
			json_decref(value);
			return -1;
		}
		return json_object_set_new(all, p->field, value);
	}
	if (!list) {
		list = json_array();
		json_object_set_new(all, p->field, list);
	}
	return json_array_append_new(list, value);
}

json_t *parts_parse(const char *text, const struct part *table, char *why,
		    size_t why_bytes)
{
	json_t *all = json_object();
	char *copy = strdup(text), *rest = copy, *piece;
	bool first = true;

	while (copy && (piece = strsep(&rest, ","))) {
		char *equals = strchr(piece, '=');
		const struct part *p = find(table, piece, equals, first);
		json_t *value =
			p ? value_of(p, equals ? equals + 1 : piece) : NULL;

		first = false;
		if (value && put(all, p, value) == 0)
			continue;
		snprintf(why, why_bytes, "\"%.60s\": %s", piece,
			 !p      ? "there is no such part"
			 : value ? "it is there twice"
				 : "this is no such value");
		json_decref(all);
		free(copy);
		return NULL;
	}
	free(copy);
	return all;
}
