/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what the node has answered. JSON and YAML are the whole answer; table
 * and CSV have columns, given as words with blanks between,
 * "HEADER=path:format": the path is that of a member, with points; the format,
 * for tables, may be `size`, `money`, or a width for rows that come one by one.
 * Without columns it is every member.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/strbuf.h"

enum output_form { OUTPUT_TABLE, OUTPUT_JSON, OUTPUT_YAML, OUTPUT_CSV };

struct layout {
	enum output_form form;
	const char *columns;
	bool headers;
	const char *list; /* the member that is a list; NULL: items */
};

/* The list that is to be printed; NULL: it is one thing. */
json_t *list_of(const struct layout *l, json_t *value);

bool output_form_parse(const char *word, enum output_form *out);

/* A list: an array, or the `items` of an object; anything else is one thing. */
void output(struct strbuf *out, const struct layout *l, json_t *value);
/* One of many, whose number is not known, as they come: rows with fixed
 * widths, JSON lines, documents of YAML. */
void output_next(struct strbuf *out, const struct layout *l, json_t *value,
		 bool first);

/* table.c */
void table_add(struct strbuf *out, const struct layout *l, json_t *value);
void table_add_row(struct strbuf *out, const struct layout *l, json_t *value,
		   bool first);
/* csv.c */
void csv_add_header(struct strbuf *out, const struct layout *l, json_t *value);
void csv_add(struct strbuf *out, const struct layout *l, json_t *value);
void csv_quote(struct strbuf *out, const char *text);
/* yaml.c */
void yaml_add(struct strbuf *out, json_t *value);

/* columns.c */
#define COLUMNS_MAX 32

struct column {
	char header[64], path[128];
	bool size, money;
	unsigned int width;
};

/* Returns how many there are. */
unsigned int columns_parse(const char *text, struct column out[COLUMNS_MAX]);
/* A new object that has the members of all objects within, by their paths. */
json_t *flatten(json_t *value);
/* The member at a path; NULL: there is none. */
json_t *member_at(json_t *value, const char *path);
/* {"micro": 1, "currency": "EUR"} as 0.000001 EUR; false: it is none. */
bool money_text(struct strbuf *out, json_t *value);
/* As text, appended: nothing for null, lists with commas. */
void leaf_text(struct strbuf *out, json_t *value);

#endif
