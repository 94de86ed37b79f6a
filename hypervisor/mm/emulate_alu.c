// SPDX-License-Identifier: Apache-2.0
/*
 * What the emulated instructions do to their operands and to the flags. Flags
 * that the architecture leaves undefined (AF of logic, all but CF of bit
 * operations) are cleared, respectively kept.
 */
#include "emulate.h"

#define FLAGS_ARITHMETIC                                                       \
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF |       \
	 X86_EFLAGS_SF | X86_EFLAGS_OF)

static u64 size_mask(unsigned int size)
{
	return ~0UL >> (64 - 8 * size);
}

static u64 reg_read(const struct emulate_insn *insn, struct guest_regs *regs)
{
	u64 v = *emulate_reg(regs, insn->reg);

	return (insn->high ? v >> 8 : v) & size_mask(insn->size);
}

/* As the CPU does: four bytes clear the upper half, one and two leave the
 * rest alone. */
static void reg_write(u64 *reg, unsigned int size, bool high, u64 val)
{
	u64 mask = size_mask(size);

	if (size == 4)
		*reg = val;
	else if (high)
		*reg = (*reg & ~0xff00UL) | val << 8;
	else
		*reg = (*reg & ~mask) | val;
}

/* ZF, SF and PF of a result. */
static u64 result_flags(u64 val, unsigned int size)
{
	u64 flags = 0;

	if (!val)
		flags |= X86_EFLAGS_ZF;
	if (val >> (8 * size - 1) & 1)
		flags |= X86_EFLAGS_SF;
	if (!__builtin_parity((unsigned int)val & 0xff))
		flags |= X86_EFLAGS_PF;
	return flags;
}

static u64 add_flags(u64 a, u64 b, u64 sum, unsigned int size)
{
	u64 flags = result_flags(sum, size);

	if (sum < a)
		flags |= X86_EFLAGS_CF;
	if ((a ^ b ^ sum) & 0x10)
		flags |= X86_EFLAGS_AF;
	if (((a ^ sum) & (b ^ sum)) >> (8 * size - 1) & 1)
		flags |= X86_EFLAGS_OF;
	return flags;
}

static u64 sub_flags(u64 a, u64 b, u64 difference, unsigned int size)
{
	u64 flags = result_flags(difference, size);

	if (a < b)
		flags |= X86_EFLAGS_CF;
	if ((a ^ b ^ difference) & 0x10)
		flags |= X86_EFLAGS_AF;
	if (((a ^ b) & (a ^ difference)) >> (8 * size - 1) & 1)
		flags |= X86_EFLAGS_OF;
	return flags;
}

/* The arithmetic and logic ones: result, and flags in *flags. */
static u64 alu(enum emulate_op op, u64 a, u64 b, unsigned int size, u64 *flags)
{
	u64 mask = size_mask(size), val;

	switch (op) {
	case EMULATE_ADD:
		val = (a + b) & mask;
		*flags = add_flags(a, b, val, size);
		return val;
	case EMULATE_SUB:
		val = (a - b) & mask;
		*flags = sub_flags(a, b, val, size);
		return val;
	case EMULATE_OR:
		val = a | b;
		break;
	case EMULATE_AND:
		val = a & b;
		break;
	default:
		val = a ^ b;
		break;
	}
	*flags = result_flags(val, size);
	return val;
}

static u64 bit_change(enum emulate_op op, u64 a, u64 bit)
{
	if (op == EMULATE_BTS)
		return a | 1UL << bit;
	if (op == EMULATE_BTR)
		return a & ~(1UL << bit);
	return a ^ 1UL << bit;
}

bool emulate_execute(const struct emulate_insn *insn, u64 *entry,
		     struct guest_regs *regs)
{
	unsigned int size = insn->size;
	unsigned int shift = (unsigned int)(insn->address & 7) * 8;
	u64 mask = size_mask(size);
	u64 old = *entry >> shift & mask;
	u64 src = insn->has_imm ? insn->imm & mask : reg_read(insn, regs);
	u64 val = src, flags = regs->rflags & FLAGS_ARITHMETIC;
	bool writes = true;

	switch (insn->op) {
	case EMULATE_MOV:
		break;
	case EMULATE_XCHG:
		reg_write(emulate_reg(regs, insn->reg), size, insn->high, old);
		break;
	case EMULATE_CMPXCHG:
		flags = sub_flags(regs->rax & mask, old,
				  ((regs->rax & mask) - old) & mask, size);
		writes = flags & X86_EFLAGS_ZF;
		if (!writes)
			reg_write(&regs->rax, size, false, old);
		break;
	case EMULATE_BTS:
	case EMULATE_BTR:
	case EMULATE_BTC:
		val = bit_change(insn->op, old, insn->imm);
		flags = (flags & ~X86_EFLAGS_CF) | (old >> insn->imm & 1);
		break;
	default:
		val = alu(insn->op, old, src, size, &flags);
		break;
	}
	regs->rflags = (regs->rflags & ~FLAGS_ARITHMETIC) | flags;
	if (writes)
		*entry = (*entry & ~(mask << shift)) | val << shift;
	return writes;
}
