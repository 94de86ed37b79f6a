/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does any hypercall with random arguments harm the hypervisor?
 * Rule:     every number with pointers to nothing, to the hypervisor, huge
 *           and negative counts: an error, or a harmless success.
 * Source:   checklist 39 to 41 and 53.
 * Expected: the guest runs on after some 5,000 calls.
 */
#include "xt.h"

static u64 state = 88172645463325252UL;

static u64 next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static u64 value(void)
{
	static const u64 picks[] = {
		0,
		1,
		2,
		7,
		77,
		4096,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		HV_START,
		0xffff82d040200000,
		HV_END - 8,
		NONCANONICAL,
		0x0000800000000000,
		~0UL,
		~7UL,
		DOMID_SELF,
		DOMID_XEN,
	};

	return picks[next() % ARRAY_SIZE(picks)];
}

/* Calls that rightly end the guest, change its footing, or never return. */
static bool excluded(u64 nr)
{
	return nr == __HYPERVISOR_iret || nr == __HYPERVISOR_set_trap_table ||
	       nr == __HYPERVISOR_set_callbacks ||
	       nr == __HYPERVISOR_stack_switch ||
	       nr == __HYPERVISOR_callback_op || nr == __HYPERVISOR_sched_op ||
	       nr == __HYPERVISOR_sched_op_compat ||
	       nr == __HYPERVISOR_console_io || nr == __HYPERVISOR_kexec_op ||
	       nr == __HYPERVISOR_set_segment_base;
}

void test_main(void)
{
	u64 mfn = va_to_mfn(alloc_page()), m2p = M2P[mfn];
	unsigned int calls = 0, failed = 0;

	for (unsigned int round = 0; round < 120; round++)
		for (u64 nr = 0; nr < 56; nr++) {
			long rc;

			if (excluded(nr))
				continue;
			rc = hypercall6(nr, value(), value(), value(), value(),
					value(), value());
			calls++;
			failed += rc < 0 && rc > -4096;
		}
	check_eq(xen_version(XENVER_version, NULL), 0x40011);
	check(M2P[mfn] == m2p, "M2P changed");
	pass("%u calls, %u errors", calls, failed);
}
