/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One domain's frames and a pinned tree of tables, made by hand: the window at
 * TREE_VA maps 512 pages through one L1, of which the first maps the L1 itself
 * read-only and the second a data page writable.
 */
#ifndef TESTS_MM_TREE_H
#define TESTS_MM_TREE_H

#include <hv/domain.h>
#include <hv/mm.h>

#include <arch/pagetable.h>

#define TREE_FRAMES 512
#define TREE_VA 0xffff888000000000UL

struct tree {
	struct domain domain;
	struct vcpu vcpu;
	u64 l1, l2, l3, l4, data; /* mfns */
};

extern struct tree tree;

u64 tree_page(struct frame_owner *o); /* a new frame of o */
void tree_build(void); /* on a machine with an allocator; plays its vCPU */
void tree_destroy(void);
int tree_audit(void); /* what mm_audit says, the vCPU's tables included */

static inline u64 *tree_entry(u64 mfn, unsigned int idx)
{
	return (u64 *)mfn_to_virt(mfn) + idx;
}

static inline u64 tree_ma(u64 mfn, unsigned int idx)
{
	return mfn * PAGE_SIZE + idx * 8UL;
}

static inline u64 tree_pte(u64 mfn, u64 flags)
{
	return mfn << PAGE_SHIFT | flags;
}

#endif
