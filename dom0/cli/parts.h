/* SPDX-License-Identifier: Apache-2.0 */
/* What an option says in parts with commas between, `xvda,size=1G,ro`, as a
 * JSON object. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <jansson.h>
#include <stddef.h>

enum part_kind {
	PART_TEXT,
	PART_SIZE,
	PART_NUMBER,
	PART_LIST, /* may come more than once */
	PART_TRUE, /* a word without a value */
	PART_FALSE,
};

struct part {
	const char *key; /* "": the first part, if it has no key */
	const char *field;
	enum part_kind kind;
};

/* By a table that ends with a key NULL. NULL: why says what is wrong. */
json_t *parts_parse(const char *text, const struct part *table, char *why,
		    size_t why_bytes);

#endif
