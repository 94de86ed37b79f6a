/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does physdev_op check what it is given?
 * Rule:     IOPL beyond 3, unknown commands and bad pointers are refused; an
 *           I/O bitmap must be guest memory and bounded.
 * Source:   guest-abi.md 4.8, checklist 39 and 56.
 * Expected: refused; set_iopl 0 and 1 fine.
 */
#include "xt.h"

void test_main(void)
{
	struct physdev_set_iopl iopl = { .iopl = 4 };
	struct physdev_set_iobitmap bm = { .nr_ports = 65537 };

	check_refused(physdev_op(PHYSDEVOP_set_iopl, &iopl));
	iopl.iopl = 0xffffffff;
	check_refused(physdev_op(PHYSDEVOP_set_iopl, &iopl));
	iopl.iopl = 0;
	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	iopl.iopl = 1;
	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	check_eq(physdev_op(PHYSDEVOP_set_iopl, (void *)HV_START), -XEN_EFAULT);
	check_eq(physdev_op(PHYSDEVOP_set_iopl, (void *)NONCANONICAL),
		 -XEN_EFAULT);
	check_refused(physdev_op(PHYSDEVOP_set_iobitmap, &bm));
	bm.nr_ports = 0;
	check_eq(physdev_op(PHYSDEVOP_set_iobitmap, &bm), 0);
	check_refused(physdev_op(77, &iopl));
	check_refused(physdev_op(-1, &iopl));
	pass("7 refused");
}
