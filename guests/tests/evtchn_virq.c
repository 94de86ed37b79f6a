/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does bind_virq bind each virtual interrupt once?
 * Rule:     per-vCPU VIRQs once per vCPU, unknown VIRQs and vCPUs refused,
 *           global ones only on vCPU 0 at first; closing frees it.
 * Source:   guest-abi.md 10, checklist 34 and 40.
 * Expected: second bind -EEXIST, wild numbers refused, bind after close
 *           works.
 */
#include "xt.h"

void test_main(void)
{
	long port = bind_virq(VIRQ_TIMER, 0);

	check(port > 0, "bind_virq %ld", port);
	check_eq(bind_virq(VIRQ_TIMER, 0), -XEN_EEXIST);
	check_eq(close_event((u32)port), 0);
	port = bind_virq(VIRQ_TIMER, 0);
	check(port > 0, "bind_virq after close %ld", port);
	check_refused(bind_virq(VIRQ_TIMER, 1));
	check_refused(bind_virq(VIRQ_TIMER, ~0U));
	check_refused(bind_virq(24, 0));
	check_refused(bind_virq(77, 0));
	check_refused(bind_virq(~0U, 0));
	check_refused(bind_virq(0x80000000, 0));
	port = bind_virq(VIRQ_DOM_EXC, 0);
	check(port > 0, "VIRQ_DOM_EXC %ld", port);
	check_refused(bind_virq(VIRQ_DOM_EXC, 0));
	port = bind_virq(VIRQ_DEBUG, 0);
	check(port > 0, "VIRQ_DEBUG %ld", port);
	pass("3 bound, 8 refused");
}
