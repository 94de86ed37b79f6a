/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions that emulate_pte_write.c understands, decoded. Private to
 * mm/. Both functions are pure: they look at nothing but their arguments.
 */
#ifndef MM_EMULATE_H
#define MM_EMULATE_H

#include <hv/types.h>

#include <arch/regs.h>

#define EMULATE_BYTES_MAX 15UL

/* Attempts against other writers before the guest has to fault again, which
 * gives interrupts their turn. */
#define EMULATE_ATTEMPTS_MAX 8

enum emulate_op {
	EMULATE_MOV,
	EMULATE_XCHG,
	EMULATE_CMPXCHG,
	EMULATE_ADD,
	EMULATE_OR,
	EMULATE_AND,
	EMULATE_SUB,
	EMULATE_XOR,
	EMULATE_BTS,
	EMULATE_BTR,
	EMULATE_BTC,
};

struct emulate_insn {
	enum emulate_op op;
	u8 size;      /* bytes of the memory operand: 1, 2, 4, 8 */
	u8 length;    /* bytes of the instruction */
	bool has_imm; /* the source is imm; otherwise the register */
	bool high;    /* the register is AH, CH, DH or BH */
	u8 reg;       /* 0..15: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8... */
	u64 imm;      /* sign-extended; bit operations: the bit's number */
	u64 address;  /* of the memory operand (64-bit, segment base 0) */
};

/* False: not one of them, or not complete in `size` bytes. */
bool emulate_decode(const u8 *bytes, size_t size, const struct guest_regs *regs,
		    struct emulate_insn *insn) MUST_CHECK;

/* Executes insn on *entry, the eight-byte-aligned word that holds the operand,
 * changing *entry, the flags and the destination register. False: it turned
 * out not to write (a failed compare). RIP is the caller's. */
bool emulate_execute(const struct emulate_insn *insn, u64 *entry,
		     struct guest_regs *regs) MUST_CHECK;

/* The register with that number. */
u64 *emulate_reg(struct guest_regs *regs, unsigned int number);

/* emulate_fast.c: mmu_emulate_write for the commonest instructions; -EAGAIN:
 * another one, nothing changed. */
struct frame_owner;
int mmu_emulate_fast(struct frame_owner *o, u64 l4_mfn, u64 fault_va,
		     struct guest_regs *regs) MUST_CHECK;

#endif
