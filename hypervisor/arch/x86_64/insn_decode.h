/* SPDX-License-Identifier: Apache-2.0 */
/* Decoder of the privileged instructions that a PV kernel may still execute.
 * Pure: bytes in, description out; an allow list, anything else is unknown. */
#ifndef INSN_DECODE_H
#define INSN_DECODE_H

#include <hv/types.h>

enum insn_kind {
	INSN_UNKNOWN,
	INSN_IN, /* size 1, 2, 4; port in imm or DX */
	INSN_OUT,
	INSN_INS, /* string forms; rep says whether rCX counts */
	INSN_OUTS,
	INSN_CLI,
	INSN_STI,
	INSN_HLT,
	INSN_CLTS,
	INSN_RDMSR,
	INSN_WRMSR,
	INSN_MOV_FROM_CR, /* control: CR number, reg: general register */
	INSN_MOV_TO_CR,
	INSN_MOV_FROM_DR,
	INSN_MOV_TO_DR,
	INSN_INVLPG,
	INSN_WBINVD,
	INSN_XSETBV,
};

struct insn {
	enum insn_kind kind;
	u8 length;
	u8 size; /* of a port access, bytes */
	u8 reg;  /* 0..15: rax rcx rdx rbx rsp rbp rsi rdi r8.. */
	u8 control;
	bool port_is_imm;
	u8 port_imm;
	bool rep;
	u8 modrm_mod; /* INVLPG: its operand is memory (mod != 3) */
};

#define INSN_MAX_BYTES 15

/* bytes: available of them may be fewer than 15. A kind other than
 * INSN_UNKNOWN has length <= available. */
void insn_decode(const u8 *bytes, unsigned int available, struct insn *out);

#endif
