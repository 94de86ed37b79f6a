/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three forms in which stock kernels write live level-1 entries nearly all
 * the time, done without the general decoder (emulate_decode.c):
 *
 *   xchg %reg, (mem)        clearing an entry, 8 bytes
 *   mov %reg, (mem)         setting one, 8 bytes
 *   lock andb $imm, (mem)   write-protecting one, at fork
 *
 * The memory operand is not computed: the fault says which entry the
 * instruction writes. Should another vCPU change the code between the fault
 * and our look, the guest gets a validated change of its own entry.
 */
#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/regs.h>
#include <arch/uaccess.h>

#include "emulate.h"
#include "l1e_change.h"

/* Place in struct guest_regs, as an array of words, of register n. */
static const u8 reg_place[16] = { 10, 11, 12, 5, 19, 4, 13, 14,
				  9,  8,  7,  6, 3,  2, 1,  0 };

_Static_assert(offsetof(struct guest_regs, rax) == 10 * 8 &&
		       offsetof(struct guest_regs, rsp) == 19 * 8 &&
		       offsetof(struct guest_regs, rdi) == 14 * 8,
	       "reg_place");

/* Bytes of ModRM, SIB and displacement of a memory operand; code starts at
 * ModRM. */
static ALWAYS_INLINE unsigned int operand_bytes(u64 code)
{
	unsigned int mod = code >> 6 & 3, rm = code & 7, n = 1;

	if (rm == 4) {
		n++;
		if (mod == 0 && (code >> 8 & 7) == 5)
			n += 4;
	} else if (rm == 5 && mod == 0) {
		n += 4;
	}
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static ALWAYS_INLINE bool is_memory(u64 modrm)
{
	return (modrm & 0xc0) != 0xc0;
}

/* Flags of an AND whose byte result is r. */
static u64 and_flags(u64 rflags, u8 r)
{
	rflags &= ~(X86_EFLAGS_CF | X86_EFLAGS_OF | X86_EFLAGS_SF |
		    X86_EFLAGS_ZF | X86_EFLAGS_PF);
	if (!r)
		rflags |= X86_EFLAGS_ZF;
	if (r & 0x80)
		rflags |= X86_EFLAGS_SF;
	if (!__builtin_parity(r))
		rflags |= X86_EFLAGS_PF;
	return rflags;
}

/* Writes the whole entry from a register; xchg: and the register from it. */
static ALWAYS_INLINE int whole_entry(struct frame_owner *o, u64 ma, u64 code,
				     struct guest_regs *regs)
{
	unsigned int reg = (code >> 19 & 7) | (code & 4) << 1;
	u64 *r = &((u64 *)regs)[reg_place[reg]];
	u64 old;

	if (l1_update(o, o, ma, *r, CHANGE_SET, &old))
		return -EINVAL;
	if ((code >> 8 & 0xff) == 0x87)
		*r = old;
	regs->rip += 2 + operand_bytes(code >> 16);
	return 0;
}

/* code starts at the opcode, which `before` prefix bytes precede. */
static int lock_and_byte(struct frame_owner *o, u64 ma, u64 code,
			 unsigned int before, struct guest_regs *regs)
{
	unsigned int operand = operand_bytes(code >> 8);
	u64 entry = READ_ONCE(*(const u64 *)maddr_to_virt(ma)), val;
	unsigned int attempts = 0;
	int rc;

	if (before + 1 + operand + 1 > 8)
		return -EAGAIN;
	do {
		val = entry & (~0xffUL | (code >> (8 + operand * 8) & 0xff));
		rc = l1_update(o, o, ma, val, CHANGE_COMPARE, &entry);
	} while (rc == -EAGAIN && ++attempts < EMULATE_ATTEMPTS_MAX);
	/* Others were quicker each time: the guest faults again. */
	if (rc == -EAGAIN)
		return 0;
	if (rc)
		return -EINVAL;
	regs->rflags = and_flags(regs->rflags, (u8)val);
	regs->rip += before + 1 + operand + 1;
	return 0;
}

int mmu_emulate_fast(struct frame_owner *o, u64 l4_mfn, u64 fault_va,
		     struct guest_regs *regs)
{
	u64 code, e, ma;

	/* At a page's start the operand may have begun in the page before. */
	if ((fault_va & 7) || !(fault_va & ~PAGE_MASK) ||
	    guest_read_u64(regs->rip, &code))
		return -EAGAIN;
	/* Whether the frame is a table of o at all is seen by the update. */
	e = l1e_of_present(l4_mfn, fault_va);
	if (unlikely(!e))
		return -ENOENT;
	ma = (e & PTE_ADDR_MASK) + (fault_va & ~PAGE_MASK);
	if ((code & 0xf8) == 0x48) {
		u64 opcode = code >> 8 & 0xff;

		if ((opcode == 0x87 || opcode == 0x89) && is_memory(code >> 16))
			return whole_entry(o, ma, code, regs);
		return -EAGAIN;
	}
	if ((code & 0xff) != 0xf0)
		return -EAGAIN;
	code >>= 8;
	if ((code & 0xf8) == 0x40) { /* REX without W */
		if ((code >> 8 & 0x38ff) == 0x2080 && is_memory(code >> 16))
			return lock_and_byte(o, ma, code >> 8, 2, regs);
	} else if ((code & 0x38ff) == 0x2080 && is_memory(code >> 8)) {
		return lock_and_byte(o, ma, code, 1, regs);
	}
	return -EAGAIN;
}
