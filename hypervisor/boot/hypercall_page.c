// SPDX-License-Identifier: Apache-2.0
/*
 * The hypercall page (guest-abi 1.8): 128 stubs of 32 bytes, number n at
 * n * 32. SYSCALL overwrites RCX and R11, so a stub saves them; the one of
 * iret leaves them, with RAX, for the hypervisor to pop.
 */
#include <hv/hypercall_page.h>
#include <hv/string.h>

#include <xen/xen.h>

#define STUB_BYTES 32
#define STUB_COUNT (PAGE_SIZE / STUB_BYTES)
#define INT3 0xcc

static void fill_stub(u8 *stub, u32 number)
{
	static const u8 code[] = {
		0x51,                         /* push %rcx */
		0x41, 0x53,                   /* push %r11 */
		0xb8, 0x00, 0x00, 0x00, 0x00, /* mov $number, %eax */
		0x0f, 0x05,                   /* syscall */
		0x41, 0x5b,                   /* pop %r11 */
		0x59,                         /* pop %rcx */
		0xc3,                         /* ret */
	};

	memcpy(stub, code, sizeof(code));
	memcpy(stub + 4, &number, sizeof(number));
}

static void fill_iret_stub(u8 *stub)
{
	static const u8 code[] = {
		0x51,       /* push %rcx */
		0x41, 0x53, /* push %r11 */
		0x50,       /* push %rax */
		0xb8, __HYPERVISOR_iret,
		0x00, 0x00,
		0x00, 0x0f,
		0x05, /* syscall */
	};

	memcpy(stub, code, sizeof(code));
}

void hypercall_page_fill(u8 *page)
{
	size_t i;

	memset(page, INT3, PAGE_SIZE);
	for (i = 0; i < STUB_COUNT; i++)
		if (i == __HYPERVISOR_iret)
			fill_iret_stub(page + i * STUB_BYTES);
		else
			fill_stub(page + i * STUB_BYTES, (u32)i);
}
