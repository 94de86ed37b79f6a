/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does sched_op refuse what it does not know?
 * Rule:     unknown operations -ENOSYS, bad pointers -EFAULT; remote_shutdown
 *           of domains that don't exist -ESRCH; the watchdog refuses wild
 *           values.
 * Source:   checklist 39 and 53.
 * Expected: as the rule; yield gives 0.
 */
#include "xt.h"

void test_main(void)
{
	struct sched_remote_shutdown remote = {
		.domain_id = 77,
		.reason = SHUTDOWN_crash,
	};
	struct sched_watchdog dog = { .id = 99, .timeout = 1 };

	check_eq(sched_op(SCHEDOP_yield, NULL), 0);
	check_eq(sched_op(77, NULL), -XEN_ENOSYS);
	check_eq(sched_op(-1, NULL), -XEN_ENOSYS);
	check_eq(sched_op(SCHEDOP_shutdown, (void *)HV_START), -XEN_EFAULT);
	check_eq(sched_op(SCHEDOP_shutdown, (void *)NONCANONICAL), -XEN_EFAULT);
	check_refused(sched_op(SCHEDOP_remote_shutdown, &remote));
	check_refused(sched_op(SCHEDOP_remote_shutdown, (void *)HV_START));
	check_refused(sched_op(SCHEDOP_watchdog, &dog));
	check_refused(sched_op(SCHEDOP_watchdog, (void *)HV_START));
	pass("8 refused");
}
