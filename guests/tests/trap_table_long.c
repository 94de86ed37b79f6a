/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is a trap table without an end bounded?
 * Rule:     the call reads on until address 0 in a preemptible way, or
 *           refuses more than 256 entries.
 * Source:   checklist 39 and 44.
 * Expected: 20,000 entries taken or refused; a table that runs into a hole
 *           -EFAULT.
 */
#include "xt.h"

static struct trap_info table[20001];

void test_main(void)
{
	u8 *page = alloc_page();
	u8 *hole = alloc_page();
	struct trap_info *last = (struct trap_info *)hole - 1;
	long rc;

	for (unsigned int i = 0; i < 20000; i++)
		table[i] = trap_gate(i & 255, 4);
	rc = set_trap_table(table);
	check(rc == 0 || rc == -XEN_EINVAL, "20000 entries: %ld", rc);
	check(page + PAGE_SIZE == hole, "pool");
	*last = trap_gate(VEC_DE, 4);
	check_eq(update_va_mapping(hole, 0, UVMF_INVLPG), 0);
	check_eq(set_trap_table(last), -XEN_EFAULT);
	check_eq(PROBE("ud2", )->vector, VEC_UD);
	pass("20000 entries gave %ld", rc);
}
