// SPDX-License-Identifier: Apache-2.0
/* For tests of one room behind the whole table of control operations: those of
 * the rooms that the test does without. */
#include <hv/errno.h>

#include "../../control/control_ops.h"

#define ABSENT(name)                                                           \
	int name(void *arg)                                                    \
	{                                                                      \
		(void)arg;                                                     \
		return -ENOSYS;                                                \
	}

ABSENT(control_domain_info)
ABSENT(control_domain_memory)
ABSENT(control_meter_page)
ABSENT(control_sched_get)
ABSENT(control_sched_set)
ABSENT(control_uplink_info)
ABSENT(control_vif_create)
ABSENT(control_vif_connect)
ABSENT(control_vif_disconnect)
ABSENT(control_vif_destroy)
ABSENT(control_vif_info)
ABSENT(control_rules_replace)
ABSENT(control_rules_counters)
