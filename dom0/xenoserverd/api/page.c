// SPDX-License-Identifier: Apache-2.0
/* See page.h. */
#include "api/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"

static int refuse(struct request *r, struct answer *a, const char *parameter,
		  const char *value, const char *limit)
{
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", parameter, "value",
				 text_json(value), "limit", limit),
		       "%s has to be %s", parameter, limit);
	return -1;
}

/* A cursor has so many characters. */
static int open_page(struct page *p, struct request *r, struct answer *a,
		     size_t least, size_t most)
{
	const char *limit = request_query(r, "limit");
	char *end;

	*p = (struct page){ .limit = PAGE_USUAL };
	if (limit) {
		p->limit = strtol(limit, &end, 10);
		if (*end || end == limit || p->limit < 1 ||
		    p->limit > PAGE_MOST)
			return refuse(r, a, "limit", limit, "1 to 1000");
	}
	p->cursor = request_query(r, "cursor");
	if (p->cursor &&
	    (strlen(p->cursor) < least || strlen(p->cursor) > most ||
	     !name_valid(p->cursor, PAGE_CURSOR_MAX)))
		return refuse(r, a, "cursor", p->cursor,
			      "one that came with a page");
	p->items = json_array();
	return 0;
}

int page_open(struct page *p, struct request *r, struct answer *a)
{
	return open_page(p, r, a, ID_TAIL, ID_MAX - 1);
}

int page_open_names(struct page *p, struct request *r, struct answer *a)
{
	return open_page(p, r, a, 1, PAGE_CURSOR_MAX - 1);
}

int64_t page_ask(const struct page *p)
{
	return p->limit + 1;
}

static bool full(const struct page *p)
{
	return (int64_t)json_array_size(p->items) == p->limit;
}

void page_add(struct page *p, const char *id, json_t *item)
{
	if (full(p)) {
		p->more = true;
		json_decref(item);
		return;
	}
	snprintf(p->last, sizeof(p->last), "%s", id);
	json_array_append_new(p->items, item);
}

void page_close(struct page *p, struct request *r, struct answer *a, int rc,
		const struct error *err)
{
	if (rc) {
		json_decref(p->items);
		answer_error(r, a, err);
		return;
	}
	answer_page(r, a, p->items, p->more ? p->last : "");
}
