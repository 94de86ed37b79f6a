/* SPDX-License-Identifier: Apache-2.0 */
/* Intrusive doubly linked list; the owner's comment says which lock guards
 * it. An unlinked node points to itself. */
#ifndef HV_LIST_H
#define HV_LIST_H

#include <hv/types.h>

struct list {
	struct list *next, *prev;
};

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

static inline void list_add_tail(struct list *head, struct list *node)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}

static inline void list_add(struct list *head, struct list *node)
{
	list_add_tail(head->next, node);
}

static inline void list_del(struct list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	list_init(node);
}

#define list_for_each(pos, head)                                               \
	for (struct list *pos = (head)->next; pos != (head); pos = pos->next)

#endif
