// SPDX-License-Identifier: Apache-2.0
/* vcpu_op as a guest calls it. */
#include <string.h>

#include <hv/dispatch.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/hypercall.h>
#include <hv/mm.h>
#include <hv/runstate.h>
#include <hv/vcpu_timer.h>

#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/host_machine.h>

#include <xen/sched.h>
#include <xeno/vcpu_ext.h>

#include "../fake/domains.h"
#include "check.h"

#define WINDOW 0x10000UL
#define MS 1000000UL

static u8 window[16384];
static struct domain *d;
static struct vcpu *self, *other;

/* What the rooms around are asked. */
static unsigned int starts, sleeps;
static int initialise_result;
static u64 initialised_rip;
static long nested_result;
static bool nest;

static long vcpu_op(u32 cmd, u32 id, const void *arg, size_t size)
{
	if (size)
		memcpy(window, arg, size);
	return hc_vcpu_op(cmd, id, WINDOW, 0, 0, 0);
}

void vcpu_start(struct vcpu *v)
{
	assert_ptr_equal(v, other);
	assert_int_equal(host_locks_held, 0);
	starts++;
}

void sched_sleep(struct sched_unit *unit)
{
	(void)unit;
	assert_int_equal(host_locks_held, 0);
	sleeps++;
}

int vcpu_initialise_from(struct vcpu *v, const struct vcpu_guest_context *ctx)
{
	assert_ptr_equal(v, other);
	initialised_rip = ctx->user_regs.rip;
	/* Another vCPU that wants the same meanwhile. */
	if (nest)
		nested_result =
			hc_vcpu_op(VCPUOP_initialise, 1, WINDOW, 0, 0, 0);
	return initialise_result;
}

static int setup(void **state)
{
	(void)state;
	fake_machine_init(64, 1);
	memset(window, 0, sizeof(window));
	host_guest_window(WINDOW, window, sizeof(window));
	host_clock_ns = 1000;
	timer_cpu_init(0);
	d = fake_domain_create(1, 2, false);
	self = d->vcpus[0];
	other = d->vcpus[1];
	other->down = true;
	for (u32 i = 0; i < 2; i++) {
		vcpu_runstate_init(d->vcpus[i], RUNSTATE_offline, 1000);
		vcpu_timers_init(d->vcpus[i]);
	}
	fake_become(d, 0);
	memset(d->shared_info->evtchn_mask, 0, sizeof(u64) * 64);
	starts = sleeps = 0;
	initialise_result = 0;
	nest = false;
	host_kicked = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (u32 i = 0; i < 2; i++) {
		vcpu_timers_exit(d->vcpus[i]);
		vcpu_info_release(d->vcpus[i]);
	}
	assert_true(fake_domain_destroy(d));
	fake_machine_exit();
	return 0;
}

static void unknown_vcpus_and_commands(void **state)
{
	(void)state;
	for (u32 cmd = 0; cmd < 20; cmd++) {
		assert_int_equal(vcpu_op(cmd, 2, NULL, 0), -ENOENT);
		assert_int_equal(vcpu_op(cmd, ~0U, NULL, 0), -ENOENT);
	}
	assert_int_equal(vcpu_op(14, 0, NULL, 0), -ENOSYS);
	assert_int_equal(vcpu_op(~0U, 0, NULL, 0), -ENOSYS);
	/* Only the lower halves count. */
	assert_int_equal(
		hc_vcpu_op(1UL << 32 | VCPUOP_is_up, 1UL << 32, 0, 0, 0, 0), 1);
}

static void a_vcpu_is_initialised_once_and_by_one(void **state)
{
	struct vcpu_guest_context ctx = { .user_regs.rip = 0x1234 };
	u64 free_frames = frame_free_count();

	(void)state;
	assert_int_equal(vcpu_op(VCPUOP_up, 1, NULL, 0), -EINVAL);
	assert_int_equal(hc_vcpu_op(VCPUOP_initialise, 1, 8, 0, 0, 0), -EFAULT);
	assert_false(other->initialised || other->initialising);
	initialise_result = -EINVAL;
	assert_int_equal(vcpu_op(VCPUOP_initialise, 1, &ctx, sizeof(ctx)),
			 -EINVAL);
	assert_false(other->initialised || other->initialising);
	initialise_result = 0;
	nest = true;
	assert_int_equal(vcpu_op(VCPUOP_initialise, 1, &ctx, sizeof(ctx)), 0);
	assert_int_equal(nested_result, -EBUSY);
	assert_int_equal(initialised_rip, 0x1234);
	assert_true(other->initialised && !other->initialising);
	assert_int_equal(vcpu_op(VCPUOP_initialise, 1, &ctx, sizeof(ctx)),
			 -EEXIST);
	assert_int_equal(starts, 0);
	assert_int_equal(frame_free_count(), free_frames);
}

static void vcpus_go_up_and_down(void **state)
{
	(void)state;
	other->initialised = true;
	assert_int_equal(vcpu_op(VCPUOP_is_up, 0, NULL, 0), 1);
	assert_int_equal(vcpu_op(VCPUOP_is_up, 1, NULL, 0), 0);
	for (unsigned int i = 1; i < 4; i++) {
		assert_int_equal(vcpu_op(VCPUOP_up, 1, NULL, 0), 0);
		assert_int_equal(vcpu_op(VCPUOP_is_up, 1, NULL, 0), 1);
		assert_int_equal(starts, i);
		/* It is up already. */
		assert_int_equal(vcpu_op(VCPUOP_up, 1, NULL, 0), 0);
		assert_int_equal(starts, i);
		assert_int_equal(vcpu_op(VCPUOP_down, 1, NULL, 0), 0);
		assert_int_equal(vcpu_op(VCPUOP_is_up, 1, NULL, 0), 0);
		assert_int_equal(sleeps, i);
	}
	assert_int_equal(d->state, DOMAIN_RUNNING);
	assert_int_equal(vcpu_op(VCPUOP_down, 0, NULL, 0), 0);
	assert_int_equal(d->state, DOMAIN_SHUT_DOWN);
}

static struct vcpu_register_vcpu_info info_at(u64 mfn, u32 offset)
{
	return (struct vcpu_register_vcpu_info){ .mfn = mfn, .offset = offset };
}

static long register_info(u32 id, u64 mfn, u32 offset)
{
	struct vcpu_register_vcpu_info op = info_at(mfn, offset);

	return vcpu_op(VCPUOP_register_vcpu_info, id, &op, sizeof(op));
}

static void vcpu_info_moves_once(void **state)
{
	const u32 last = PAGE_SIZE - sizeof(struct vcpu_info);
	u64 mfn = fake_frame(d);
	struct frame *f = frame_of_mfn(mfn);
	u64 ref = f->ref;
	struct vcpu_info *moved = (void *)((u8 *)mfn_to_virt(mfn) + last);

	(void)state;
	assert_int_equal(register_info(0, mfn, last + 8), -EINVAL);
	assert_int_equal(register_info(0, mfn, 4), -EINVAL);
	assert_int_equal(register_info(0, mfn, ~7U), -EINVAL);
	assert_int_equal(register_info(0, 1UL << 40, 0), -EINVAL);
	assert_int_not_equal(register_info(0, 0, 0), 0); /* nobody's */
	assert_int_equal(hc_vcpu_op(VCPUOP_register_vcpu_info, 0, 8, 0, 0, 0),
			 -EFAULT);
	assert_ptr_equal(self->arch.info, &d->shared_info->vcpu_info[0]);
	/* Another vCPU's, while it may run. */
	other->down = false;
	assert_int_equal(register_info(1, mfn, 0), -EINVAL);
	other->down = true;
	assert_int_equal(f->ref & FRAME_COUNT_MASK, ref & FRAME_COUNT_MASK);

	self->arch.info->arch.cr2 = 0x77;
	assert_int_equal(register_info(0, mfn, last), 0);
	assert_ptr_equal(self->arch.info, moved);
	assert_int_equal(moved->arch.cr2, 0x77);
	/* What was set in the old one meanwhile is looked for. */
	assert_int_equal(moved->evtchn_upcall_pending, 1);
	assert_int_equal(register_info(0, mfn, 0), -EINVAL);
	assert_int_equal(register_info(1, mfn, 0), 0);
	vcpu_info_release(self);
	vcpu_info_release(other);
	assert_ptr_equal(self->arch.info, &d->shared_info->vcpu_info[0]);
	assert_int_equal(f->ref & FRAME_COUNT_MASK, ref & FRAME_COUNT_MASK);
}

static void runstates_are_told(void **state)
{
	struct vcpu_runstate_info info;

	(void)state;
	vcpu_runstate_change(other, RUNSTATE_blocked, 3000);
	host_clock_ns = 8000;
	assert_int_equal(vcpu_op(VCPUOP_get_runstate_info, 1, NULL, 0), 0);
	memcpy(&info, window, sizeof(info));
	assert_int_equal(info.state, RUNSTATE_blocked);
	assert_int_equal(info.time[RUNSTATE_offline], 2000);
	assert_int_equal(info.time[RUNSTATE_blocked], 5000);
	assert_int_equal(hc_vcpu_op(VCPUOP_get_runstate_info, 1, 8, 0, 0, 0),
			 -EFAULT);
	assert_int_equal(
		hc_vcpu_op(VCPUOP_register_runstate_memory_area, 1, 8, 0, 0, 0),
		-EFAULT);
}

static void timers_are_set_and_stopped(void **state)
{
	struct vcpu_set_singleshot_timer once = { .timeout_abs_ns = 5 * MS };
	struct vcpu_set_periodic_timer tick = { .period_ns = 2 * MS };
	struct xeno_set_virtual_timer run = { .run_ns = MS };

	(void)state;
	vcpu_runstate_change(self, RUNSTATE_running, 1000);
	assert_int_equal(
		vcpu_op(VCPUOP_set_singleshot_timer, 0, &once, sizeof(once)),
		0);
	assert_int_equal(timer_expires(&self->singleshot), 5 * MS);
	assert_int_equal(vcpu_op(VCPUOP_stop_singleshot_timer, 0, NULL, 0), 0);
	assert_false(timer_queued(&self->singleshot));
	assert_int_equal(
		vcpu_op(VCPUOP_set_periodic_timer, 1, &tick, sizeof(tick)), 0);
	assert_int_equal(timer_expires(&other->periodic), 2 * MS + 1000);
	assert_int_equal(vcpu_op(VCPUOP_stop_periodic_timer, 1, NULL, 0), 0);
	assert_false(timer_queued(&other->periodic));
	tick.period_ns = VCPU_PERIOD_MIN_NS - 1;
	assert_int_equal(
		vcpu_op(VCPUOP_set_periodic_timer, 1, &tick, sizeof(tick)),
		-EINVAL);
	assert_int_equal(
		vcpu_op(XENO_VCPUOP_set_virtual_timer, 0, &run, sizeof(run)),
		0);
	assert_true(timer_queued(&self->virtual_timer));
	assert_int_equal(vcpu_op(XENO_VCPUOP_stop_virtual_timer, 0, NULL, 0),
			 0);
	assert_false(timer_queued(&self->virtual_timer));
	/* These are only for the caller's own vCPU ... */
	assert_int_equal(
		vcpu_op(VCPUOP_set_singleshot_timer, 1, &once, sizeof(once)),
		-EINVAL);
	assert_int_equal(
		vcpu_op(XENO_VCPUOP_set_virtual_timer, 1, &run, sizeof(run)),
		-EINVAL);
	assert_int_equal(vcpu_op(XENO_VCPUOP_stop_virtual_timer, 1, NULL, 0),
			 -EINVAL);
	/* ... and arguments are read from the guest. */
	assert_int_equal(hc_vcpu_op(VCPUOP_set_singleshot_timer, 0, 8, 0, 0, 0),
			 -EFAULT);
	assert_int_equal(hc_vcpu_op(VCPUOP_set_periodic_timer, 0, 8, 0, 0, 0),
			 -EFAULT);
	assert_int_equal(
		hc_vcpu_op(XENO_VCPUOP_set_virtual_timer, 0, 8, 0, 0, 0),
		-EFAULT);
}

static void an_nmi_is_left_and_wakes(void **state)
{
	u64 kicks = fake_kicks(other);

	(void)state;
	other->blocked = true;
	assert_int_equal(vcpu_op(VCPUOP_send_nmi, 1, NULL, 0), 0);
	assert_int_equal(other->arch.nmi_pending, 1);
	assert_int_equal(self->arch.nmi_pending, 0);
	assert_int_equal(fake_kicks(other), kicks + 1);
	assert_int_equal(host_kicked, 1);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(unknown_vcpus_and_commands),
		TEST(a_vcpu_is_initialised_once_and_by_one),
		TEST(vcpus_go_up_and_down),
		TEST(vcpu_info_moves_once),
		TEST(runstates_are_told),
		TEST(timers_are_set_and_stopped),
		TEST(an_nmi_is_left_and_wakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
