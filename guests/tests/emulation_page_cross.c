/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is an instruction to emulate fetched safely over a page's end?
 * Rule:     bytes come through the guest's own mapping; when the second page
 *           is missing the guest gets a fault, never the hypervisor.
 * Source:   checklist 25, guest-abi.md 5.
 * Expected: right result when mapped; a page fault (or #GP) when not.
 */
#include "xt.h"

static u8 *code;

static int run_at(unsigned int offset, const u8 *bytes, unsigned int n)
{
	memcpy(code + offset, bytes, n);
	return run_guarded((void (*)(void *))(code + offset), NULL)->vector;
}

void test_main(void)
{
	static const u8 read_cr0[] = { 0x0f, 0x20, 0xc0, 0xc3 };
	static const u8 cpuid[] = { 0x53, 0x31, 0xc0, 0x0f, 0x0b, 'x',
				    'e',  'n',  0x0f, 0xa2, 0x5b, 0xc3 };
	static const u8 in[] = { 0x66, 0xe5, 0x80, 0xc3 };
	struct physdev_set_iopl iopl = { .iopl = 1 };
	u8 *hole;
	int v;

	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	code = alloc_page();
	hole = alloc_page();
	check(code + PAGE_SIZE == hole, "pool");
	for (unsigned int k = 1; k < 4; k++)
		check_eq(run_at(4096 - k, read_cr0, 4), VEC_NONE);
	for (unsigned int k = 4; k < 12; k++)
		check_eq(run_at(4096 - k, cpuid, 12), VEC_NONE);
	for (unsigned int k = 1; k < 4; k++)
		check_eq(run_at(4096 - k, in, 4), VEC_NONE);
	memcpy(code + 4096 - 2, read_cr0, 2);
	check_eq(update_va_mapping(hole, 0, UVMF_INVLPG), 0);
	v = run_guarded((void (*)(void *))(code + 4094), NULL)->vector;
	check(v == VEC_PF || v == VEC_GP, "cut CR0 read: %d", v);
	memcpy(code + 4096 - 5, "\x0f\x0bxen", 5);
	v = run_guarded((void (*)(void *))(code + 4091), NULL)->vector;
	check(v == VEC_PF || v == VEC_UD, "cut CPUID: %d", v);
	memcpy(code + 4096 - 2, "\x66\xe5", 2);
	v = run_guarded((void (*)(void *))(code + 4094), NULL)->vector;
	check(v == VEC_PF || v == VEC_GP, "cut IN: %d", v);
	pass("14 crossings, 3 cuts");
}
