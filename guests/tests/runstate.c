/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the runstate area account for all time of a vCPU?
 * Rule:     the states' times sum to elapsed system time; running while it
 *           runs, blocked while it sleeps; none decreases.
 * Source:   guest-abi.md 7.
 * Expected: sums within 30 ms of the elapsed time, 50 ms sleep in "blocked".
 *
 * test: audit=50
 */
#include "xt.h"

static struct vcpu_runstate_info now_state(struct vcpu_runstate_info *area)
{
	struct vcpu_runstate_info copy;

	xen_version(XENVER_version, NULL);
	check_eq(vcpu_op(VCPUOP_get_runstate_info, 0, &copy), 0);
	check(area->state == RUNSTATE_running, "state %d", area->state);
	return copy;
}

static u64 sum(const struct vcpu_runstate_info *r)
{
	return r->time[0] + r->time[1] + r->time[2] + r->time[3];
}

void test_main(void)
{
	static struct vcpu_runstate_info area;
	struct vcpu_register_runstate_memory_area reg = { .addr.p = 0 };
	struct vcpu_runstate_info a, b;
	u64 start, elapsed, slept;

	set_xen_guest_handle(reg.addr.h, &area);
	check_eq(vcpu_op(VCPUOP_register_runstate_memory_area, 0, &reg), 0);
	check(area.state == RUNSTATE_running && area.state_entry_time,
	      "state %d at once", area.state);
	a = now_state(&area);
	start = now_ns();
	check_eq(poll_port((u32)bind_ipi(0), start + MS(50)), 0);
	spin_until(false, MS(50));
	b = now_state(&area);
	elapsed = now_ns() - start;
	for (int i = 0; i < 4; i++)
		check(b.time[i] >= a.time[i], "time[%d] decreased", i);
	slept = b.time[RUNSTATE_blocked] - a.time[RUNSTATE_blocked];
	check(slept >= MS(45) && slept <= elapsed, "blocked for %lu ns", slept);
	check(sum(&b) - sum(&a) <= elapsed + MS(30) &&
		      sum(&b) - sum(&a) + MS(30) >= elapsed,
	      "sums grew %lu in %lu", sum(&b) - sum(&a), elapsed);
	check(area.time[RUNSTATE_blocked] >= slept, "area not updated");
	pass("blocked %lu us of %lu us", slept / 1000, elapsed / 1000);
}
