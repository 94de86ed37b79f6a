// SPDX-License-Identifier: Apache-2.0
/* See mm_tree.h. */
#include "mm_tree.h"

#include <string.h>

#include <hv/audit.h>
#include <hv/errno.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include "audit_memory.h"

struct tree tree;

u64 tree_page(struct frame_owner *o)
{
	struct frame *f = NULL;

	CHECK(frame_owner_alloc(o, 0, &f) == 0);
	return frame_mfn(f);
}

void tree_build(void)
{
	struct frame_owner *o = &tree.domain.owner;
	int budget = 1 << 20;

	memset(&tree, 0, sizeof(tree));
	tree.domain.id = 1;
	tree.domain.vcpu_count = 1;
	tree.vcpu.domain = &tree.domain;
	tree.domain.vcpus[0] = &tree.vcpu;
	host_current_vcpu = &tree.vcpu;
	frame_owner_init(o, 1, TREE_FRAMES);
	o->dirty_cpus = 1;
	tree.l1 = tree_page(o);
	tree.l2 = tree_page(o);
	tree.l3 = tree_page(o);
	tree.l4 = tree_page(o);
	tree.data = tree_page(o);
	*tree_entry(tree.l4, pt_index(TREE_VA, 4)) =
		tree_pte(tree.l3, PTE_P | PTE_RW);
	*tree_entry(tree.l3, 0) = tree_pte(tree.l2, PTE_P | PTE_RW);
	*tree_entry(tree.l2, 0) = tree_pte(tree.l1, PTE_P | PTE_RW);
	*tree_entry(tree.l1, 0) = tree_pte(tree.l1, PTE_P);
	*tree_entry(tree.l1, 1) = tree_pte(tree.data, PTE_P | PTE_RW);
	CHECK(mmu_pin(o, tree.l4, 4, &budget) == 0);
	spin_lock(&o->mmu_lock);
	CHECK(frame_get_table_locked(o, &frame_table[tree.l4], FRAME_L4,
				     &budget) == 0);
	spin_unlock(&o->mmu_lock);
	tree.vcpu.arch.kernel_cr3 = tree.l4 << PAGE_SHIFT;
}

int tree_audit(void)
{
	AUDIT_MEMORY(memory, TREE_FRAMES);
	struct frame_owner *const owners[] = { &tree.domain.owner };
	const struct arch_vcpu *v = &tree.vcpu.arch;
	struct audit_ref refs[2 + ARRAY_SIZE(v->ldt_frames_mfn)];
	struct mm_audit a = { owners, 1, refs, 0, &memory };
	u32 i;

	if (v->kernel_cr3)
		refs[a.ref_count++] =
			(struct audit_ref){ (u32)(v->kernel_cr3 >> PAGE_SHIFT),
					    AUDIT_TABLE };
	if (v->user_cr3)
		refs[a.ref_count++] =
			(struct audit_ref){ (u32)(v->user_cr3 >> PAGE_SHIFT),
					    AUDIT_TABLE };
	for (i = 0; i < (v->ldt_entries + 511) / 512; i++)
		refs[a.ref_count++] = (struct audit_ref){ v->ldt_frames_mfn[i],
							  AUDIT_SEGDESC };
	return mm_audit(&a);
}

void tree_destroy(void)
{
	struct frame_owner *o = &tree.domain.owner;
	u64 *roots[] = { &tree.vcpu.arch.kernel_cr3, &tree.vcpu.arch.user_cr3 };
	unsigned int i;
	int budget = 10;

	for (i = 0; i < (tree.vcpu.arch.ldt_entries + 511) / 512; i++)
		frame_put_segdesc(
			&frame_table[tree.vcpu.arch.ldt_frames_mfn[i]]);
	tree.vcpu.arch.ldt_entries = 0;
	for (i = 0; i < 2; i++) {
		if (!*roots[i])
			continue;
		spin_lock(&o->mmu_lock);
		frame_put_table_locked(o, &frame_table[*roots[i] >> PAGE_SHIFT],
				       &budget);
		spin_unlock(&o->mmu_lock);
		*roots[i] = 0;
	}
	while (frame_owner_destroy(o, 20) == -ERESTART)
		;
	CHECK(o->pages == 0);
	CHECK(frame_free_count() == frame_total_count());
}
