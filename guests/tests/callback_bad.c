/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does callback_op check its arguments?
 * Rule:     non-canonical addresses, unknown types and operations and bad
 *           pointers are refused.
 * Source:   checklist 17 and 39.
 * Expected: -EINVAL, -ENOSYS and -EFAULT; the good callbacks still work.
 */
#include "xt.h"

void test_main(void)
{
	static const unsigned int types[] = {
		CALLBACKTYPE_event,    CALLBACKTYPE_failsafe,
		CALLBACKTYPE_syscall,  CALLBACKTYPE_syscall32,
		CALLBACKTYPE_sysenter,
	};
	long port = bind_ipi(0);

	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++) {
		check_refused(
			register_callback(types[i], 1, (void *)NONCANONICAL));
		check_refused(register_callback(types[i], 1,
						(void *)0x0000800000000000));
	}
	check_refused(register_callback(99, 1, event_entry));
	check_refused(register_callback(~0U, 1, event_entry));
	check_refused(callback_op(77, NULL));
	check_eq(callback_op(CALLBACKOP_register, (void *)HV_START),
		 -XEN_EFAULT);
	check_eq(callback_op(CALLBACKOP_register, NULL), -XEN_EFAULT);
	check_eq(callback_op(CALLBACKOP_unregister, (void *)NONCANONICAL),
		 -XEN_EFAULT);
	check_eq(register_callback(CALLBACKTYPE_syscall32, 1, syscall32_entry),
		 0);
	unmask_event((u32)port);
	check_eq(send_event((u32)port), 0);
	events_on();
	check(event_count[port] == 1, "%u upcalls", event_count[port]);
	pass("%u types", (u32)ARRAY_SIZE(types));
}
