/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are system descriptors kept out of a guest's GDT?
 * Rule:     TSS, LDT, interrupt and trap gates are refused, by set_gdt and by
 *           update_descriptor; call gates too, or made harmless.
 * Source:   checklist 15.
 * Expected: refused for every system type but 0 and call gates.
 */
#include "xt.h"

void test_main(void)
{
	unsigned int gates = 0;

	for (u64 type = 1; type < 16; type++) {
		u64 desc = 0x00cfe0000000ffffUL | type << 40;
		u64 *gdt = alloc_page();
		unsigned long frame = va_to_mfn(gdt);
		long rc;

		gdt[4] = desc;
		check_eq(map_ro(gdt), 0);
		rc = set_gdt(&frame, 512);
		if (type == 0xc) {
			gates += rc == 0;
			check_eq(set_gdt(NULL, 0), 0);
			continue;
		}
		check(rc < 0, "type %lx accepted", type);
		check_eq(map_rw(gdt), 0);
		gdt[4] = 0;
		check_eq(map_ro(gdt), 0);
		check_eq(set_gdt(&frame, 512), 0);
		check_refused(update_descriptor(va_to_maddr(&gdt[4]), desc));
		check(!READ_ONCE(gdt[4]), "descriptor written");
		check_eq(set_gdt(NULL, 0), 0);
	}
	pass("14 types refused, call gates %s", gates ? "accepted" : "refused");
}
