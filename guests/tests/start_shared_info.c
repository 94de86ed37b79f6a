/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is the shared_info page ready at the first instruction?
 * Rule:     no event pending, upcall mask 1, time record valid, wall clock
 *           set. (Port masks are the guest's own business.)
 * Source:   guest-abi.md 1.5 and 7.
 * Expected: nothing pending, mul in [2^31, 2^32), even versions.
 */
#include "xt.h"

void test_main(void)
{
	const struct shared_info *s = shared_info;
	const struct vcpu_time_info *t = &s->vcpu_info[0].time;

	for (unsigned int i = 0; i < 64; i++)
		check(!s->evtchn_pending[i], "pending[%u] %lx", i,
		      s->evtchn_pending[i]);
	check(s->vcpu_info[0].evtchn_upcall_mask == 1, "upcall mask");
	check(t->tsc_to_system_mul >> 31, "mul %x", t->tsc_to_system_mul);
	check(!(t->version & 1), "version %u", t->version);
	check(!(s->wc_version & 1) && s->wc_sec, "wall clock %u %u",
	      s->wc_version, s->wc_sec);
	pass("mul %x shift %d wc_sec %u", t->tsc_to_system_mul, t->tsc_shift,
	     s->wc_sec);
}
