/* SPDX-License-Identifier: Apache-2.0 */
#include "insn_decode.h"

struct cursor {
	const u8 *bytes;
	unsigned int pos, available;
	bool ended;
};

static u8 next(struct cursor *c)
{
	if (c->pos >= c->available || c->pos >= INSN_MAX_BYTES) {
		c->ended = true;
		return 0;
	}
	return c->bytes[c->pos++];
}

/* Length of the memory operand after ModRM (64-bit addressing). */
static void skip_memory_operand(struct cursor *c, u8 modrm)
{
	u8 mod = modrm >> 6, rm = modrm & 7;
	unsigned int displacement = 0;

	if (mod == 3)
		return;
	if (rm == 4) {
		u8 sib = next(c);

		if (mod == 0 && (sib & 7) == 5)
			displacement = 4;
	} else if (mod == 0 && rm == 5) {
		displacement = 4;
	}
	if (mod == 1)
		displacement = 1;
	else if (mod == 2)
		displacement = 4;
	while (displacement--)
		next(c);
}

static void decode_0f01(struct cursor *c, struct insn *out)
{
	u8 modrm = next(c);

	if (modrm == 0xd1) {
		out->kind = INSN_XSETBV;
	} else if ((modrm >> 3 & 7) == 7 && modrm >> 6 != 3) {
		skip_memory_operand(c, modrm);
		out->modrm_mod = modrm >> 6;
		out->kind = INSN_INVLPG;
	}
}

static void decode_mov_control(struct cursor *c, u8 opcode, u8 rex,
			       struct insn *out)
{
	static const enum insn_kind kinds[4] = { INSN_MOV_FROM_CR,
						 INSN_MOV_FROM_DR,
						 INSN_MOV_TO_CR,
						 INSN_MOV_TO_DR };
	u8 modrm = next(c);

	out->reg = (modrm & 7) | (rex & 1) << 3;
	out->control = (modrm >> 3 & 7) | (rex & 4) << 1;
	out->kind = kinds[opcode & 3];
}

static void decode_0f(struct cursor *c, u8 rex, struct insn *out)
{
	u8 opcode = next(c);

	switch (opcode) {
	case 0x01:
		decode_0f01(c, out);
		break;
	case 0x06:
		out->kind = INSN_CLTS;
		break;
	case 0x08:
	case 0x09:
		out->kind = INSN_WBINVD;
		break;
	case 0x20:
	case 0x21:
	case 0x22:
	case 0x23:
		decode_mov_control(c, opcode, rex, out);
		break;
	case 0x30:
		out->kind = INSN_WRMSR;
		break;
	case 0x32:
		out->kind = INSN_RDMSR;
		break;
	default:
		break;
	}
}

void insn_decode(const u8 *bytes, unsigned int available, struct insn *out)
{
	struct cursor c = { bytes, 0, available, false };
	u8 rex = 0, opcode;
	bool size16 = false;

	*out = (struct insn){ .kind = INSN_UNKNOWN };
	for (;;) {
		opcode = next(&c);
		if (opcode == 0x66) {
			size16 = true;
		} else if (opcode == 0xf2 || opcode == 0xf3) {
			out->rep = true;
		} else if (opcode != 0x2e && opcode != 0x36 && opcode != 0x3e &&
			   opcode != 0x26 && opcode != 0x64 && opcode != 0x65 &&
			   opcode != 0x67) {
			break;
		}
		if (c.ended)
			return;
	}
	if ((opcode & 0xf0) == 0x40) {
		rex = opcode;
		opcode = next(&c);
	}
	out->size = (opcode & 1) ? (size16 ? 2 : 4) : 1;
	switch (opcode) {
	case 0x0f:
		decode_0f(&c, rex, out);
		break;
	case 0x6c:
	case 0x6d:
		out->kind = INSN_INS;
		break;
	case 0x6e:
	case 0x6f:
		out->kind = INSN_OUTS;
		break;
	case 0xe4:
	case 0xe5:
	case 0xe6:
	case 0xe7:
		out->port_is_imm = true;
		out->port_imm = next(&c);
		out->kind = opcode < 0xe6 ? INSN_IN : INSN_OUT;
		break;
	case 0xec:
	case 0xed:
		out->kind = INSN_IN;
		break;
	case 0xee:
	case 0xef:
		out->kind = INSN_OUT;
		break;
	case 0xf4:
		out->kind = INSN_HLT;
		break;
	case 0xfa:
		out->kind = INSN_CLI;
		break;
	case 0xfb:
		out->kind = INSN_STI;
		break;
	default:
		break;
	}
	if (c.ended)
		out->kind = INSN_UNKNOWN;
	out->length = (u8)c.pos;
}
