/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are GDT frames typed so that the guest can't write them?
 * Rule:     a writable page is refused as GDT; a GDT page can't be mapped
 *           writable; after the GDT is dropped it can.
 * Source:   checklist 15.
 * Expected: refusals, then success.
 */
#include "xt.h"

void test_main(void)
{
	u64 *gdt = alloc_page();
	unsigned long frames[2] = { va_to_mfn(gdt), va_to_mfn(gdt) };

	check_refused(set_gdt(frames, 512));
	check_eq(map_ro(gdt), 0);
	check_eq(set_gdt(frames, 16), 0);
	check_refused(map_rw(gdt));
	check_eq(probe_write(gdt, 1)->vector, VEC_PF);
	check_refused(mmuext(MMUEXT_PIN_L1_TABLE, frames[0]));
	check_eq(set_gdt(frames, 1024), 0);
	check_refused(map_rw(gdt));
	frames[0] = va_to_mfn(alloc_page());
	check_refused(set_gdt(frames, 512));
	check_refused(map_rw(gdt));
	check_eq(set_gdt(NULL, 0), 0);
	check_eq(map_rw(gdt), 0);
	gdt[0] = 1;
	pass("typed while in use");
}
