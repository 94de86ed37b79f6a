/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operations behind the control hypercall, one function each. The argument
 * is the hypervisor's own copy of the whole structure, with a good envelope
 * and values straight from the caller otherwise. A function that returns 0 has
 * written every field under "out"; after an error the copy is dropped. Called
 * with the control lock held.
 */
#ifndef CONTROL_OPS_H
#define CONTROL_OPS_H

#include <hv/lock.h>
#include <hv/types.h>

/* What one call may do before it is restarted (hv/hypercall.h). */
#define CONTROL_BUDGET 512

/* One operation at a time, of all three hypercalls. */
extern struct spinlock control_lock;

/* control_node.c */
int control_cpu_counters(void *arg) MUST_CHECK;
int control_meters(void *arg) MUST_CHECK;
int control_domain_meter(void *arg) MUST_CHECK;
int control_frames(void *arg) MUST_CHECK;
int control_clock(void *arg) MUST_CHECK;

/* control_vif.c */
int control_uplink_info(void *arg) MUST_CHECK;
int control_vif_create(void *arg) MUST_CHECK;
int control_vif_connect(void *arg) MUST_CHECK;
int control_vif_disconnect(void *arg) MUST_CHECK;
int control_vif_destroy(void *arg) MUST_CHECK;
int control_vif_info(void *arg) MUST_CHECK;
int control_rules_replace(void *arg) MUST_CHECK;
int control_rules_counters(void *arg) MUST_CHECK;
/* control_vbd.c */
int control_disk_info(void *arg) MUST_CHECK;
int control_vbd_create(void *arg) MUST_CHECK;
int control_vbd_connect(void *arg) MUST_CHECK;
int control_vbd_disconnect(void *arg) MUST_CHECK;
int control_vbd_destroy(void *arg) MUST_CHECK;
int control_vbd_info(void *arg) MUST_CHECK;

/* control_domain.c */
int control_domain_info(void *arg) MUST_CHECK;
int control_domain_memory(void *arg) MUST_CHECK;
int control_meter_page(void *arg) MUST_CHECK;
int control_sched_get(void *arg) MUST_CHECK;
int control_sched_set(void *arg) MUST_CHECK;

#endif
