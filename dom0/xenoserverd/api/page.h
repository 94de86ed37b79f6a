/* SPDX-License-Identifier: Apache-2.0 */
/* Lists come in pages: at most limit items, and a cursor where the next page
 * starts, which is the id of the last one. */
#ifndef API_PAGE_H
#define API_PAGE_H

#include <jansson.h>

#include "api/api.h"

#define PAGE_USUAL 100
#define PAGE_MOST 1000
#define PAGE_CURSOR_MAX 80

struct page {
	int64_t limit;
	const char *cursor; /* NULL: from the start */
	json_t *items;
	char last[PAGE_CURSOR_MAX];
	bool more; /* there is at least one behind the last */
};

/* From the query; -1: the answer says what is wrong with it. */
int page_open(struct page *p, struct request *r, struct answer *a);
/* The same of things whose cursors are not ids, but names. */
int page_open_names(struct page *p, struct request *r, struct answer *a);
/* How many to ask the store for: one more than there is room for. */
int64_t page_ask(const struct page *p);
/* Takes the item over; what has no room is only noticed. */
void page_add(struct page *p, const char *id, json_t *item);
/* The answer; or, if rc is not 0, the error. */
void page_close(struct page *p, struct request *r, struct answer *a, int rc,
		const struct error *err);

#endif
