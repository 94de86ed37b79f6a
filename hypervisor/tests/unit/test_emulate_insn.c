// SPDX-License-Identifier: Apache-2.0
/*
 * Decoder and arithmetic of emulated page-table writes against the CPU: every
 * opcode with every prefix and random operands is executed on this machine
 * and by the emulator; memory, registers, defined flags and length must agree.
 */
#include <sys/mman.h>

#include <hv/types.h>

#include "../../mm/emulate.h"
#include "unit.h"

/* native_run(regs, code): loads the registers but RSP, calls code, stores
 * them. Offsets are those of struct guest_regs. */
void native_run(struct guest_regs *regs, const void *code);
u64 native_regs, native_code, native_rdi;

#define FOR_EACH_REG(op)                                                       \
	op("r15", "0") op("r14", "8") op("r13", "16") op("r12", "24")          \
		op("rbp", "32") op("rbx", "40") op("r11", "48")                \
			op("r10", "56") op("r9", "64") op("r8", "72")          \
				op("rax", "80") op("rcx", "88")                \
					op("rdx", "96") op("rsi", "104")
#define LOAD(reg, offset) "mov " offset "(%rdi), %" reg "\n"
#define STORE(reg, offset) "mov %" reg ", " offset "(%rdi)\n"

__asm__(".text\n.globl native_run\nnative_run:\n"
	"push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rdi, native_regs(%rip)\nmov %rsi, native_code(%rip)\n"
	"pushq 144(%rdi)\npopfq\n" FOR_EACH_REG(
		LOAD) "mov 112(%rdi), %rdi\n"
		      "call *native_code(%rip)\n"
		      "mov %rdi, native_rdi(%rip)\nmov native_regs(%rip), %rdi\n" FOR_EACH_REG(
			      STORE) "pushfq\npopq 144(%rdi)\n"
				     "mov native_rdi(%rip), %rax\nmov %rax, 112(%rdi)\n"
				     "cld\n"
				     "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");

#define ARITHMETIC                                                             \
	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | X86_EFLAGS_ZF |       \
	 X86_EFLAGS_SF | X86_EFLAGS_OF)

struct form {
	const char *name;
	u8 opcode[2]; /* 0x0f first: two bytes */
	s8 group;     /* ModRM.reg; -1: a register */
	bool byte;
	u8 imm;        /* bytes at most */
	bool lock;     /* may be locked */
	bool bit;      /* register bit number */
	u64 undefined; /* flags */
};

#define LOGIC X86_EFLAGS_AF
#define BITOP (ARITHMETIC & ~X86_EFLAGS_CF & ~X86_EFLAGS_ZF)

static const struct form forms[] = {
	{ "mov r8", { 0x88 }, -1, true, 0, false, false, 0 },
	{ "mov r", { 0x89 }, -1, false, 0, false, false, 0 },
	{ "mov i8", { 0xc6 }, 0, true, 1, false, false, 0 },
	{ "mov i", { 0xc7 }, 0, false, 4, false, false, 0 },
	{ "xchg r8", { 0x86 }, -1, true, 0, true, false, 0 },
	{ "xchg r", { 0x87 }, -1, false, 0, true, false, 0 },
	{ "cmpxchg r8", { 0x0f, 0xb0 }, -1, true, 0, true, false, 0 },
	{ "cmpxchg r", { 0x0f, 0xb1 }, -1, false, 0, true, false, 0 },
	{ "add r8", { 0x00 }, -1, true, 0, true, false, 0 },
	{ "add r", { 0x01 }, -1, false, 0, true, false, 0 },
	{ "or r8", { 0x08 }, -1, true, 0, true, false, LOGIC },
	{ "or r", { 0x09 }, -1, false, 0, true, false, LOGIC },
	{ "and r8", { 0x20 }, -1, true, 0, true, false, LOGIC },
	{ "and r", { 0x21 }, -1, false, 0, true, false, LOGIC },
	{ "sub r8", { 0x28 }, -1, true, 0, true, false, 0 },
	{ "sub r", { 0x29 }, -1, false, 0, true, false, 0 },
	{ "xor r8", { 0x30 }, -1, true, 0, true, false, LOGIC },
	{ "xor r", { 0x31 }, -1, false, 0, true, false, LOGIC },
	{ "add i8", { 0x80 }, 0, true, 1, true, false, 0 },
	{ "or i8", { 0x80 }, 1, true, 1, true, false, LOGIC },
	{ "and i8", { 0x80 }, 4, true, 1, true, false, LOGIC },
	{ "sub i8", { 0x80 }, 5, true, 1, true, false, 0 },
	{ "xor i8", { 0x80 }, 6, true, 1, true, false, LOGIC },
	{ "add i", { 0x81 }, 0, false, 4, true, false, 0 },
	{ "or i", { 0x81 }, 1, false, 4, true, false, LOGIC },
	{ "and i", { 0x81 }, 4, false, 4, true, false, LOGIC },
	{ "sub i", { 0x81 }, 5, false, 4, true, false, 0 },
	{ "xor i", { 0x81 }, 6, false, 4, true, false, LOGIC },
	{ "add is", { 0x83 }, 0, false, 1, true, false, 0 },
	{ "or is", { 0x83 }, 1, false, 1, true, false, LOGIC },
	{ "and is", { 0x83 }, 4, false, 1, true, false, LOGIC },
	{ "sub is", { 0x83 }, 5, false, 1, true, false, 0 },
	{ "xor is", { 0x83 }, 6, false, 1, true, false, LOGIC },
	{ "bts r", { 0x0f, 0xab }, -1, false, 0, true, true, BITOP },
	{ "btr r", { 0x0f, 0xb3 }, -1, false, 0, true, true, BITOP },
	{ "btc r", { 0x0f, 0xbb }, -1, false, 0, true, true, BITOP },
	{ "bts i", { 0x0f, 0xba }, 5, false, 1, true, false, BITOP },
	{ "btr i", { 0x0f, 0xba }, 6, false, 1, true, false, BITOP },
	{ "btc i", { 0x0f, 0xba }, 7, false, 1, true, false, BITOP },
};

#define ROUNDS 6000

static u64 random_state = 0x2545f4914f6cdd1dUL;

static u64 rnd(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)(rnd() >> 33) % n;
}

/* One page of code, one of data, near each other for RIP-relative forms. */
static u8 *code, *data;

static unsigned int pick_reg(void)
{
	unsigned int r;

	do
		r = below(16);
	while (r == 4); /* RSP is ours while the code runs */
	return r;
}

struct generated {
	u8 bytes[16];
	unsigned int length, size, imm_bytes;
	bool rip_relative;
};

/* Writes ModRM, SIB and displacement for the address and sets up registers. */
static void put_operand(struct generated *g, unsigned int reg, u8 *rex,
			u64 address, struct guest_regs *regs)
{
	unsigned int base = pick_reg(), index, mod = below(3), scale;
	u8 *b = g->bytes;
	s32 disp = mod == 1 ? (s8)rnd() : (s32)below(100000) - 50000;
	bool sib = (base & 7) == 4 || below(2);

	if (g->rip_relative) {
		u64 next = (u64)code + g->length + 1 + 4 + g->imm_bytes;

		disp = (s32)(address - next);
		b[g->length++] = (u8)((reg & 7) << 3 | 5);
		memcpy(&b[g->length], &disp, 4);
		g->length += 4;
		return;
	}
	if (mod == 0) {
		disp = 0;
		if ((base & 7) == 5)
			mod = 1;
	}
	b[g->length++] = (u8)(mod << 6 | (reg & 7) << 3 | (sib ? 4 : base & 7));
	*emulate_reg(regs, base) = address - (u64)(s64)disp;
	if (sib) {
		do
			index = pick_reg();
		while (index == base);
		scale = below(4);
		if (below(3) == 0) {
			index = 4;
		} else {
			*emulate_reg(regs, index) &= 0xffff;
			*emulate_reg(regs, base) -= *emulate_reg(regs, index)
						    << scale;
		}
		b[g->length++] =
			(u8)(scale << 6 | (index & 7) << 3 | (base & 7));
		*rex |= (u8)(index >> 3 << 1);
	}
	*rex |= (u8)(base >> 3);
	if (mod == 1)
		b[g->length++] = (u8)disp;
	if (mod == 2) {
		memcpy(&b[g->length], &disp, 4);
		g->length += 4;
	}
}

static void generate(const struct form *f, struct generated *g,
		     struct guest_regs *regs)
{
	unsigned int reg = f->group >= 0 ? (unsigned int)f->group : pick_reg();
	unsigned int rex_at, i, off;
	bool wide = below(2), opsize = below(4) == 0;
	u8 rex = (u8)(wide ? 8 : 0);
	u64 address;

	memset(g, 0, sizeof(*g));
	g->size = f->byte ? 1 : wide ? 8 : opsize ? 2 : 4;
	g->imm_bytes = MIN(f->imm, g->size);
	off = below(8) & ~(g->size - 1);
	if (below(4) == 0 && g->size < 8)
		off = below(9 - g->size);
	address = (u64)data + 2048 + off;
	if (f->bit) {
		/* The number moves the address; keep it on the page. */
		u64 *r = emulate_reg(regs, reg);

		*r = g->size == 8   ? (u64)((s64)below(8000) - 4000)
		     : g->size == 4 ? (u32)((s32)below(8000) - 4000)
				    : (u16)((s16)below(8000) - 4000);
		if (g->size < 8)
			*r |= rnd() << (g->size * 8);
	}
	for (i = 0; i < below(2); i++)
		g->bytes[g->length++] = (u8[]){ 0x26, 0x2e, 0x36, 0x3e }[i];
	if (opsize)
		g->bytes[g->length++] = 0x66;
	if (f->lock && below(2))
		g->bytes[g->length++] = 0xf0;
	if (f->group < 0)
		rex |= (u8)(reg >> 3 << 2);
	rex_at = g->length++;
	g->bytes[g->length++] = f->opcode[0];
	if (f->opcode[0] == 0x0f)
		g->bytes[g->length++] = f->opcode[1];
	/* A bit number in the base register would undo the address. */
	g->rip_relative = f->bit || below(6) == 0;
	put_operand(g, reg, &rex, address, regs);
	if (!rex && !g->rip_relative && below(2)) {
		/* No REX: AH and kin come into play. */
		memmove(&g->bytes[rex_at], &g->bytes[rex_at + 1],
			g->length - rex_at - 1);
		g->length--;
	} else {
		g->bytes[rex_at] = 0x40 | rex;
	}
	for (i = 0; i < g->imm_bytes; i++)
		g->bytes[g->length++] = (u8)rnd();
}

static void compare(const struct form *f, const struct generated *g,
		    struct guest_regs *regs)
{
	static u8 before[PAGE_SIZE], emulated[PAGE_SIZE];
	struct guest_regs native, after = *regs;
	struct emulate_insn insn;
	u64 entry, at, defined = ARITHMETIC & ~f->undefined;
	bool wrote;

	memcpy(before, data, PAGE_SIZE);
	memcpy(emulated, data, PAGE_SIZE);
	if (!emulate_decode(g->bytes, g->length, regs, &insn))
		fail_msg("%s: not decoded", f->name);
	assert_int_equal(insn.length, g->length);
	assert_int_equal(insn.size, g->size);
	at = (insn.address & ~7UL) - (u64)data;
	if ((insn.address & 7) + insn.size > 8)
		return;
	assert_true(at < PAGE_SIZE);
	memcpy(&entry, &emulated[at], 8);
	wrote = emulate_execute(&insn, &entry, &after);
	if (wrote)
		memcpy(&emulated[at], &entry, 8);

	native = *regs;
	memcpy(code, g->bytes, g->length);
	code[g->length] = 0xc3;
	native_run(&native, code);

	if (memcmp(data, emulated, PAGE_SIZE) != 0)
		fail_msg("%s: memory differs", f->name);
	if ((native.rflags ^ after.rflags) & defined)
		fail_msg("%s: flags %lx, emulated %lx", f->name,
			 native.rflags & defined, after.rflags & defined);
	native.rflags = after.rflags;
	if (memcmp(&native, &after, sizeof(native)) != 0)
		fail_msg("%s: registers differ", f->name);
	memcpy(data, before, PAGE_SIZE);
}

static void randomize(struct guest_regs *regs)
{
	unsigned int i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < 16; i++)
		*emulate_reg(regs, i) = below(4) ? rnd() : below(3) - 1UL;
	regs->rsp = 0;
	regs->rip = (u64)code;
	regs->rflags = (rnd() & ARITHMETIC) | 0x202;
	for (i = 0; i < PAGE_SIZE / 8; i++)
		((u64 *)data)[i] = below(4) ? rnd() : below(3) - 1UL;
	/* So that some comparisons are equal. */
	if (below(2))
		memcpy(&regs->rax, data + 2048, 8);
}

static void every_form_does_what_the_cpu_does(void **state)
{
	struct guest_regs regs;
	struct generated g;
	unsigned int i, k;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(forms); i++)
		for (k = 0; k < ROUNDS; k++) {
			randomize(&regs);
			generate(&forms[i], &g, &regs);
			/* Setting up the address may have moved RAX. */
			compare(&forms[i], &g, &regs);
		}
	print_message("%zu forms, %u rounds each\n", ARRAY_SIZE(forms), ROUNDS);
}

static void incomplete_instructions_are_refused(void **state)
{
	struct guest_regs regs;
	struct emulate_insn insn;
	struct generated g;
	unsigned int i, n;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		randomize(&regs);
		generate(&forms[i], &g, &regs);
		for (n = 0; n < g.length; n++)
			assert_false(emulate_decode(g.bytes, n, &regs, &insn));
		assert_true(emulate_decode(g.bytes, n, &regs, &insn));
	}
}

static void anything_else_is_refused(void **state)
{
	static const struct {
		const char *what;
		u8 bytes[15];
	} refused[] = {
		{ "register operand", { 0x48, 0x89, 0xc3 } },
		{ "lock mov", { 0xf0, 0x48, 0x89, 0x03 } },
		{ "lock mov imm", { 0xf0, 0xc6, 0x03, 0x01 } },
		{ "fs override", { 0x64, 0x48, 0x89, 0x03 } },
		{ "gs override", { 0x65, 0x48, 0x89, 0x03 } },
		{ "32-bit address", { 0x67, 0x48, 0x89, 0x03 } },
		{ "rep movsq", { 0xf3, 0x48, 0xa5 } },
		{ "stosq", { 0x48, 0xab } },
		{ "REX not last", { 0x48, 0x66, 0x89, 0x03 } },
		{ "adc", { 0x48, 0x11, 0x03 } },
		{ "cmp", { 0x48, 0x39, 0x03 } },
		{ "cmp imm", { 0x48, 0x83, 0x3b, 0x00 } },
		{ "mov /1", { 0xc7, 0x0b, 0, 0, 0, 0 } },
		{ "bt imm", { 0x48, 0x0f, 0xba, 0x23, 0x01 } },
		{ "cmpxchg16b", { 0x48, 0x0f, 0xc7, 0x0b } },
		{ "load", { 0x48, 0x8b, 0x03 } },
		{ "VEX", { 0xc5, 0xf8, 0x29, 0x03 } },
		{ "prefixes only",
		  { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		    0x66, 0x66, 0x66, 0x66, 0x66 } },
	};
	struct guest_regs regs = { 0 };
	struct emulate_insn insn;
	unsigned int i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(refused); i++)
		if (emulate_decode(refused[i].bytes, 15, &regs, &insn))
			fail_msg("%s accepted", refused[i].what);
}

static void stack_relative_operands_are_found(void **state)
{
	const u8 mov[] = { 0x48, 0x89, 0x44, 0x24, 0x08 }; /* 8(%rsp) */
	struct guest_regs regs = { .rsp = 0x1000 };
	struct emulate_insn insn;

	(void)state;
	assert_true(emulate_decode(mov, sizeof(mov), &regs, &insn));
	assert_int_equal(insn.address, 0x1008);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_does_what_the_cpu_does),
		cmocka_unit_test(incomplete_instructions_are_refused),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(stack_relative_operands_are_found),
	};

	code = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 1;
	data = code + PAGE_SIZE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
