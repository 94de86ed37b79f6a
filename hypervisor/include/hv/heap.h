/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intrusive binary min-heap: nodes live in the objects, so inserting never
 * allocates and never fails. Every operation costs O(log n) in the worst case.
 * Equal keys leave in the order of `order`, which the owner sets before
 * inserting. The owner's lock guards the heap and its nodes.
 */
#ifndef HV_HEAP_H
#define HV_HEAP_H

#include <hv/types.h>

struct heap_node {
	struct heap_node *parent, *left, *right;
	u64 key;
	u64 order;
};

struct heap {
	struct heap_node *root; /* least key; NULL: empty */
	u64 count;
};

static inline bool heap_less(const struct heap_node *a,
			     const struct heap_node *b)
{
	return a->key < b->key || (a->key == b->key && a->order < b->order);
}

void heap_insert(struct heap *h, struct heap_node *n);
/* n must be in h. */
void heap_remove(struct heap *h, struct heap_node *n);

#endif
