/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does console_io bound what it reads and refuse bad pointers?
 * Rule:     write gives 0; a pointer to nothing, to the hypervisor or to a
 *           non-canonical address -EFAULT; a page boundary without a second
 *           page -EFAULT; unknown commands -ENOSYS.
 * Source:   guest-abi.md 3.4, checklist 39.
 * Expected: as the rule; a zero-length write is fine anywhere mapped.
 */
#include "xt.h"

static long io(int cmd, u64 count, u64 ptr)
{
	return hypercall(__HYPERVISOR_console_io, cmd, count, ptr);
}

void test_main(void)
{
	u8 *page = alloc_page();

	check_eq(io(CONSOLEIO_write, 0, (u64)page), 0);
	check_eq(io(CONSOLEIO_write, 5, HV_START), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_write, 5, HV_END - 2), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_write, 5, 0xffff82d040000000), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_write, 5, NONCANONICAL), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_write, 5, 0), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_write, 5, ~0UL - 1), -XEN_EFAULT);
	check_eq(update_va_mapping(page, 0, UVMF_INVLPG), 0);
	check_eq(io(CONSOLEIO_write, 8, (u64)page - 4), -XEN_EFAULT);
	check_eq(io(CONSOLEIO_read, 8, HV_START), 0);
	check_eq(io(77, 5, (u64) "x"), -XEN_ENOSYS);
	pass("bad pointers refused");
}
