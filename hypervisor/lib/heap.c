/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intrusive binary heap (contract in hv/heap.h). The tree is complete: the
 * bits of a node's 1-based number, below the leading one, are its path from
 * the root, so the last place is found from the count alone and the depth is
 * at most log2(count). Pointers are exchanged instead of contents, because a
 * node is its object's.
 */
#include <hv/heap.h>

static void set_child(struct heap *h, struct heap_node *parent,
		      const struct heap_node *old, struct heap_node *child)
{
	if (!parent)
		h->root = child;
	else if (parent->left == old)
		parent->left = child;
	else
		parent->right = child;
	if (child)
		child->parent = parent;
}

static void adopt(struct heap_node *n, struct heap_node *left,
		  struct heap_node *right)
{
	n->left = left;
	n->right = right;
	if (left)
		left->parent = n;
	if (right)
		right->parent = n;
}

/* n changes places with its parent. */
static void rise(struct heap *h, struct heap_node *n)
{
	struct heap_node *p = n->parent;
	struct heap_node *left = n->left, *right = n->right;

	set_child(h, p->parent, p, n);
	if (p->left == n)
		adopt(n, p, p->right);
	else
		adopt(n, p->left, p);
	adopt(p, left, right);
}

static void sift_up(struct heap *h, struct heap_node *n)
{
	while (n->parent && heap_less(n, n->parent))
		rise(h, n);
}

static void sift_down(struct heap *h, struct heap_node *n)
{
	for (;;) {
		struct heap_node *least = n->left;

		if (n->right && heap_less(n->right, least))
			least = n->right;
		if (!least || !heap_less(least, n))
			return;
		rise(h, least);
	}
}

/* The node with 1-based number pos; its parent when pos is the next place. */
static struct heap_node *walk(const struct heap *h, u64 pos, bool to_parent)
{
	struct heap_node *n = h->root;
	int bit = 62 - __builtin_clzll(pos);
	int last = to_parent ? 1 : 0;

	for (; bit >= last; bit--)
		n = (pos >> bit) & 1 ? n->right : n->left;
	return n;
}

void heap_insert(struct heap *h, struct heap_node *n)
{
	u64 pos = ++h->count;
	struct heap_node *parent;

	n->left = n->right = n->parent = NULL;
	if (pos == 1) {
		h->root = n;
		return;
	}
	parent = walk(h, pos, true);
	n->parent = parent;
	if (pos & 1)
		parent->right = n;
	else
		parent->left = n;
	sift_up(h, n);
}

void heap_remove(struct heap *h, struct heap_node *n)
{
	struct heap_node *last = walk(h, h->count, false);

	h->count--;
	set_child(h, last->parent, last, NULL);
	if (last != n) {
		adopt(last, n->left, n->right);
		set_child(h, n->parent, n, last);
		sift_up(h, last);
		sift_down(h, last);
	}
	n->left = n->right = n->parent = NULL;
}
