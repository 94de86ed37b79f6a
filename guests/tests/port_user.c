/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can user space reach a port when only the kernel has IOPL?
 * Rule:     with virtual IOPL 1 user mode gets #GP; with IOPL 3 or its bit
 *           clear in the bitmap it's emulated like the kernel's.
 * Source:   guest-abi.md 4.8, checklist 25, pv-iopl of XTF.
 * Expected: #GP, then no fault with IOPL 3, then #GP again; no fault at the
 *           one port whose bit is clear, #GP at it and the next together,
 *           without a bitmap, and with one that cannot be read.
 */
#include "xt.h"

USER_ASM(user_out, "mov $0xee, %al\n\tout %al, $0x80\n\tud2");
USER_ASM(user_in, "in $0x80, %al\n\tud2");
USER_ASM(user_out_wide, "out %ax, $0x80\n\tud2");
USER_ASM(user_out_next, "out %al, $0x81\n\tud2");

static u8 bitmap[0x81 / 8 + 1];

static int try(u32 level)
{
	struct physdev_set_iopl iopl = { .iopl = level };

	check_eq(physdev_op(PHYSDEVOP_set_iopl, &iopl), 0);
	return run_user(user_out)->vector;
}

static long give_bitmap(const void *bits, u32 ports)
{
	struct physdev_set_iobitmap op = { .nr_ports = ports };

	set_xen_guest_handle(op.bitmap, (u8 *)(unsigned long)bits);
	return physdev_op(PHYSDEVOP_set_iobitmap, &op);
}

static void set_bitmap(const void *bits, u32 ports)
{
	check_eq(give_bitmap(bits, ports), 0);
}

static void try_bitmap(void)
{
	memset(bitmap, 0xff, sizeof(bitmap));
	bitmap[0x80 / 8] &= ~1;
	set_bitmap(bitmap, 0x82);
	check_eq(run_user(user_out)->vector, VEC_UD);
	check_eq(run_user(user_in)->vector, VEC_UD);
	check_eq(run_user(user_out_wide)->vector, VEC_GP);
	check_eq(run_user(user_out_next)->vector, VEC_GP);
	/* It is the bits of the moment that count. */
	bitmap[0x80 / 8] &= ~2;
	check_eq(run_user(user_out_wide)->vector, VEC_UD);
	set_bitmap(bitmap, 0x81);
	check_eq(run_user(user_out)->vector, VEC_UD);
	check_eq(run_user(user_out_wide)->vector, VEC_GP);
	set_bitmap((void *)0x700000000000UL, 0x82);
	check_eq(run_user(user_out)->vector, VEC_GP);
	/* Refused now, or when it is looked at. */
	(void)!give_bitmap((void *)(HV_START + PAGE_SIZE), 0x82);
	check_eq(run_user(user_out)->vector, VEC_GP);
	set_bitmap(bitmap, 0);
	check_eq(run_user(user_out)->vector, VEC_GP);
}

void test_main(void)
{
	setup_user();
	check_eq(try(0), VEC_GP);
	check_eq(try(1), VEC_GP);
	check_eq(try(3), VEC_UD);
	check_eq(try(1), VEC_GP);
	try_bitmap();
	pass("IOPL 0, 1 and 3, bitmaps");
}
