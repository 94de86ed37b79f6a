// SPDX-License-Identifier: Apache-2.0
/*
 * Decoder for the 64-bit forms of mov, xchg, cmpxchg, add, or, and, sub, xor,
 * bts, btr and btc that write memory. By allow list: prefixes 66 and F0, the
 * segment overrides without meaning, and REX; every other prefix is refused,
 * as is LOCK where the CPU would refuse it.
 */
#include "emulate.h"

struct cursor {
	const u8 *bytes;
	size_t size, at;
	bool short_of; /* an instruction longer than what there is */
};

static u64 take(struct cursor *c, size_t n)
{
	u64 v = 0;
	size_t i;

	if (c->size - c->at < n) {
		c->short_of = true;
		return 0;
	}
	for (i = 0; i < n; i++)
		v |= (u64)c->bytes[c->at + i] << (8 * i);
	c->at += n;
	return v;
}

static u64 take_signed(struct cursor *c, size_t n)
{
	u64 v = take(c, n);
	unsigned int shift = (unsigned int)(64 - 8 * n) & 63;

	return (u64)((s64)(v << shift) >> shift);
}

u64 *emulate_reg(struct guest_regs *regs, unsigned int number)
{
	u64 *const by_number[16] = {
		&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx,
		&regs->rsp, &regs->rbp, &regs->rsi, &regs->rdi,
		&regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};

	return by_number[number & 15];
}

static u64 reg_value(const struct guest_regs *regs, unsigned int number)
{
	struct guest_regs *r = (struct guest_regs *)(uintptr_t)regs;

	return *emulate_reg(r, number);
}

struct prefixes {
	bool opsize, lock;
	u8 rex;
};

/* Returns the first byte of the opcode; false in *ok: refused. */
static u8 take_prefixes(struct cursor *c, struct prefixes *p, bool *ok)
{
	*p = (struct prefixes){ 0 };
	*ok = true;
	for (;;) {
		u8 b = (u8)take(c, 1);

		if (c->short_of)
			return 0;
		switch (b) {
		case 0x66:
			p->opsize = true;
			break;
		case 0xf0:
			p->lock = true;
			break;
		case 0x26: /* es, cs, ss, ds: no effect in 64-bit mode */
		case 0x2e:
		case 0x36:
		case 0x3e:
			break;
		case 0x64: /* fs, gs: a base that is not ours to know */
		case 0x65:
		case 0x67:
		case 0xf2:
		case 0xf3:
			*ok = false;
			return 0;
		default:
			if ((b & 0xf0) != 0x40)
				return b;
			p->rex = b;
			return (u8)take(c, 1); /* REX comes last */
		}
	}
}

/* Address of the ModRM byte's memory operand; the RIP-relative form still
 * lacks the address of the next instruction (*rip_relative). */
static u64 take_address(struct cursor *c, u8 modrm, u8 rex,
			const struct guest_regs *regs, bool *rip_relative)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	u64 address = 0;

	*rip_relative = false;
	if (rm == 4) {
		u8 sib = (u8)take(c, 1);
		unsigned int base = (sib & 7U) | (rex & 1U) << 3;
		unsigned int index = (sib >> 3 & 7U) | (rex >> 1 & 1U) << 3;

		if (index != 4)
			address = reg_value(regs, index) << (sib >> 6);
		if ((sib & 7) == 5 && mod == 0)
			return address + take_signed(c, 4);
		address += reg_value(regs, base);
	} else if (rm == 5 && mod == 0) {
		*rip_relative = true;
		return take_signed(c, 4);
	} else {
		address = reg_value(regs, rm | (rex & 1U) << 3);
	}
	if (mod == 1)
		address += take_signed(c, 1);
	else if (mod == 2)
		address += take_signed(c, 4);
	return address;
}

/* What an opcode says before its ModRM byte is looked at. */
struct shape {
	enum emulate_op op;
	bool byte;       /* operand of one byte; else by prefixes */
	u8 imm_bytes;    /* 0: register source; 4: at most, by operand size */
	bool by_modrm;   /* ModRM.reg selects the operation (groups) */
	bool bit_number; /* bts and kin */
};

static bool shape_two_byte(u8 opcode, struct shape *s)
{
	switch (opcode) {
	case 0xb0:
	case 0xb1:
		s->op = EMULATE_CMPXCHG;
		s->byte = opcode == 0xb0;
		return true;
	case 0xab:
	case 0xb3:
	case 0xbb:
		s->op = opcode == 0xab   ? EMULATE_BTS
			: opcode == 0xb3 ? EMULATE_BTR
					 : EMULATE_BTC;
		s->bit_number = true;
		return true;
	case 0xba:
		s->bit_number = s->by_modrm = true;
		s->imm_bytes = 1;
		return true;
	default:
		return false;
	}
}

static bool shape_one_byte(u8 opcode, struct shape *s)
{
	s->byte = !(opcode & 1);
	switch (opcode) {
	case 0x00:
	case 0x01:
		s->op = EMULATE_ADD;
		return true;
	case 0x08:
	case 0x09:
		s->op = EMULATE_OR;
		return true;
	case 0x20:
	case 0x21:
		s->op = EMULATE_AND;
		return true;
	case 0x28:
	case 0x29:
		s->op = EMULATE_SUB;
		return true;
	case 0x30:
	case 0x31:
		s->op = EMULATE_XOR;
		return true;
	case 0x86:
	case 0x87:
		s->op = EMULATE_XCHG;
		return true;
	case 0x88:
	case 0x89:
		s->op = EMULATE_MOV;
		return true;
	case 0x80:
	case 0x81:
	case 0x83:
	case 0xc6:
	case 0xc7:
		s->by_modrm = true;
		s->imm_bytes = s->byte || opcode == 0x83 ? 1 : 4;
		return true;
	default:
		return false;
	}
}

/* The operation that ModRM.reg selects in the opcode's group. */
static bool shape_by_modrm(bool two_byte, u8 opcode, unsigned int reg,
			   struct shape *s)
{
	static const int alu[8] = { EMULATE_ADD, EMULATE_OR,  -1,          -1,
				    EMULATE_AND, EMULATE_SUB, EMULATE_XOR, -1 };
	static const int bit[8] = { -1, -1,          -1,          -1,
				    -1, EMULATE_BTS, EMULATE_BTR, EMULATE_BTC };
	int op;

	if (two_byte)
		op = bit[reg];
	else if (opcode >= 0xc6)
		op = reg == 0 ? (int)EMULATE_MOV : -1;
	else
		op = alu[reg];
	s->op = (enum emulate_op)op;
	return op >= 0;
}

/* The bit's number counts from the operand: a register may name a bit far
 * from it, which moves the address. An immediate may not. */
static void resolve_bit(struct emulate_insn *insn,
			const struct guest_regs *regs)
{
	unsigned int bits = insn->size * 8U;
	unsigned int unused = 64 - bits;
	s64 number;

	if (!insn->has_imm) {
		number = (s64)(reg_value(regs, insn->reg) << unused) >> unused;
		insn->address += (u64)(number >> 3) & ~(u64)(insn->size - 1);
		insn->imm = (u64)number;
		insn->has_imm = true;
	}
	insn->imm &= bits - 1;
}

bool emulate_decode(const u8 *bytes, size_t size, const struct guest_regs *regs,
		    struct emulate_insn *insn)
{
	struct cursor c = { bytes, MIN(size, EMULATE_BYTES_MAX), 0, false };
	struct shape shape = { 0 };
	bool ok, rip_relative, two_byte;
	struct prefixes p;
	u8 opcode, modrm;

	opcode = take_prefixes(&c, &p, &ok);
	two_byte = opcode == 0x0f;
	if (two_byte)
		opcode = (u8)take(&c, 1);
	modrm = (u8)take(&c, 1);
	if (!ok || c.short_of || modrm >> 6 == 3)
		return false;
	if (!(two_byte ? shape_two_byte(opcode, &shape)
		       : shape_one_byte(opcode, &shape)))
		return false;
	if (shape.by_modrm &&
	    !shape_by_modrm(two_byte, opcode, modrm >> 3 & 7, &shape))
		return false;
	if (p.lock && shape.op == EMULATE_MOV)
		return false;

	*insn = (struct emulate_insn){
		.op = shape.op,
		.size = shape.byte  ? 1
			: p.rex & 8 ? 8
			: p.opsize  ? 2
				    : 4,
		.reg = (u8)((modrm >> 3 & 7) | (p.rex & 4) << 1),
		.has_imm = shape.imm_bytes != 0,
	};
	if (shape.byte && !p.rex && insn->reg >= 4) {
		insn->high = true;
		insn->reg -= 4;
	}
	insn->address = take_address(&c, modrm, p.rex, regs, &rip_relative);
	if (shape.imm_bytes)
		insn->imm = take_signed(&c, MIN(shape.imm_bytes, insn->size));
	if (c.short_of)
		return false;
	insn->length = (u8)c.at;
	if (rip_relative)
		insn->address += regs->rip + insn->length;
	if (shape.bit_number)
		resolve_bit(insn, regs);
	return true;
}
