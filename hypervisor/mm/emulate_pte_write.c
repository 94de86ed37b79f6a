// SPDX-License-Identifier: Apache-2.0
/*
 * Direct writes of a guest kernel to its live level-1 tables. Stock kernels
 * change single entries with xchg, mov, lock and, and their kin, through the
 * read-only mapping of the table; the write faults, and is done here as the
 * validated update that it means.
 *
 * The instruction's bytes are read once; its memory operand must be the entry
 * that faulted, whole or in part, never across entries. The entry itself is
 * named by its machine address, so that what the guest maps where meanwhile
 * does not matter. A read-modify-write computes on the entry as the guest sees
 * it and is installed only if the entry is still that one.
 *
 * Decoding is in emulate_decode.c, arithmetic in emulate_alu.c; both are pure.
 */
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/mm.h>

#include <arch/pagetable.h>
#include <arch/regs.h>

#include "emulate.h"
#include "page_entry.h"

static size_t fetch(u64 rip, u8 *buf)
{
	size_t first = MIN(PAGE_SIZE - (rip & ~PAGE_MASK), EMULATE_BYTES_MAX);

	if (guest_copy_in(buf, rip, first))
		return 0;
	if (first == EMULATE_BYTES_MAX ||
	    guest_copy_in(buf + first, rip + first, EMULATE_BYTES_MAX - first))
		return first;
	return EMULATE_BYTES_MAX;
}

/* The level-1 entry, of a table of o, that va names in a mapping of that
 * table; 0: va maps no such table. */
static u64 table_entry_at(const struct frame_owner *o, u64 l4_mfn, u64 va)
{
	u64 ma = page_table_l1e(l4_mfn, va);
	const struct frame *f;
	u64 e;

	if (!ma)
		return 0;
	e = READ_ONCE(*(const u64 *)maddr_to_virt(ma));
	f = frame_of_mfn(pte_mfn(e));
	if (!(e & PTE_P) || !f ||
	    (frame_load_ref(f) & FRAME_KIND_MASK) != FRAME_KIND(FRAME_L1) ||
	    READ_ONCE(f->owner_id) != o->id)
		return 0;
	return (pte_mfn(e) << PAGE_SHIFT) + (va & ~PAGE_MASK & ~7UL);
}

static NOINLINE int emulate_any(struct frame_owner *o, u64 l4_mfn, u64 fault_va,
				struct guest_regs *regs)
{
	u64 ma = table_entry_at(o, l4_mfn, fault_va), entry;
	struct emulate_insn insn;
	u8 bytes[EMULATE_BYTES_MAX];
	unsigned int attempts;

	if (!ma)
		return -ENOENT;
	if (!emulate_decode(bytes, fetch(regs->rip, bytes), regs, &insn) ||
	    (insn.address ^ fault_va) & ~7UL ||
	    (insn.address & 7) + insn.size > sizeof(entry))
		return -EINVAL;

	entry = READ_ONCE(*(const u64 *)maddr_to_virt(ma));
	for (attempts = 0; attempts < EMULATE_ATTEMPTS_MAX; attempts++) {
		struct guest_regs after = *regs;
		u64 val = entry;
		int rc = 0;

		if (emulate_execute(&insn, &val, &after))
			rc = l1e_compare_exchange(o, ma, &entry, val);
		if (rc == -EAGAIN)
			continue;
		if (rc)
			return rc == -EBUSY ? -EINVAL : rc;
		after.rip += insn.length;
		after.rflags &= ~X86_EFLAGS_RF;
		*regs = after;
		return 0;
	}
	return -EAGAIN;
}

int mmu_emulate_write(struct frame_owner *o, u64 l4_mfn, u64 fault_va,
		      struct guest_regs *regs)
{
	int rc = mmu_emulate_fast(o, l4_mfn, fault_va, regs);

	if (likely(rc != -EAGAIN))
		return rc;
	return emulate_any(o, l4_mfn, fault_va, regs);
}
