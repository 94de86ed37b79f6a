// SPDX-License-Identifier: Apache-2.0
/*
 * The control hypercall as a guest makes it: who may, in which order an
 * envelope is looked at, that errors change nothing, and that what the node's
 * operations tell is what the rooms below know.
 */
#include <string.h>

#include <hv/control.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/work.h>

#include <arch/counters.h>
#include <arch/host_machine.h>

#include <xeno/node.h>

#include "../fake/domains.h"
#include "check.h"

#define WINDOW 0x10000UL
#define FRAMES 70000UL /* eight calls of XENO_OP_FRAMES and a part of one */
#define JUNK 0xa5

static u8 window[8192];
static struct domain *zero, *one;

static int setup(void **state)
{
	(void)state;
	fake_machine_init(FRAMES, 2);
	work_start();
	memset(window, JUNK, sizeof(window));
	host_guest_window(WINDOW, window, sizeof(window));
	zero = fake_domain_create(0, 2, true);
	one = fake_domain_create(1, 1, false);
	fake_become(zero, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_true(fake_domain_destroy(one));
	assert_true(fake_domain_destroy(zero));
	fake_machine_exit();
	return 0;
}

static long control(u64 va)
{
	return hc_control(va, 0, 0, 0, 0, 0);
}

/* Runs the operation on *arg as a guest would; every "out" byte is junk
 * before, so that one left alone shows. */
static long call(void *arg, u32 op, u32 version, u32 size)
{
	struct xeno_envelope *head = arg;
	long rc;

	*head = (struct xeno_envelope){ version, op, size, 0 };
	memcpy(window, arg, size);
	rc = control(WINDOW);
	memcpy(arg, window, size);
	return rc;
}

#define CALL(arg, name)                                                        \
	call((arg), XENO_OP_##name, XENO_##name##_VERSION, sizeof(*(arg)))

/* ---- the envelope ---- */

static const struct {
	u32 op, version, size;
} known[] = {
	{ XENO_OP_CPU_COUNTERS, 1, sizeof(struct xeno_cpu_counters) },
	{ XENO_OP_METERS, 1, sizeof(struct xeno_meters) },
	{ XENO_OP_DOMAIN_METER, 1, sizeof(struct xeno_domain_meter) },
	{ XENO_OP_FRAMES, 1, sizeof(struct xeno_frames) },
	{ XENO_OP_CLOCK, 1, sizeof(struct xeno_clock) },
};

static bool untouched(size_t from)
{
	for (size_t i = from; i < sizeof(window); i++)
		if (window[i] != JUNK)
			return false;
	return true;
}

static long envelope(u32 version, u32 op, u32 size, u32 mbz)
{
	struct xeno_envelope head = { version, op, size, mbz };

	memset(window, JUNK, sizeof(window));
	memcpy(window, &head, sizeof(head));
	return control(WINDOW);
}

static void others_are_refused_before_anything(void **state)
{
	(void)state;
	fake_become(one, 0);
	assert_int_equal(control(0), -EPERM);
	assert_int_equal(control(WINDOW), -EPERM);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		assert_int_equal(envelope(known[i].version, known[i].op,
					  known[i].size, 0),
				 -EPERM);
	assert_true(untouched(sizeof(struct xeno_envelope)));
}

static void unknown_operations(void **state)
{
	(void)state;
	assert_int_equal(envelope(1, 0, 16, 0), -ENOSYS);
	assert_int_equal(envelope(1, XENO_OP_CLOCK + 1, 16, 0), -ENOSYS);
	assert_int_equal(envelope(1, 0x80000001, 16, 0), -ENOSYS);
	assert_int_equal(envelope(~0U, ~0U, ~0U, ~0U), -ENOSYS);
	assert_true(untouched(sizeof(struct xeno_envelope)));
}

static void wrong_envelopes_change_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		u32 op = known[i].op, v = known[i].version, n = known[i].size;
		const u32 bad[][3] = {
			{ v - 1, n, 0 },    { v + 1, n, 0 }, { ~0U, n, 0 },
			{ v, n - 1, 0 },    { v, n + 1, 0 }, { v, 0, 0 },
			{ v, 16, 0 },       { v, ~0U, 0 },   { v, n, 1 },
			{ v, n, 1U << 31 },
		};

		for (size_t k = 0; k < ARRAY_SIZE(bad); k++) {
			assert_int_equal(
				envelope(bad[k][0], op, bad[k][1], bad[k][2]),
				-EINVAL);
			assert_true(untouched(sizeof(struct xeno_envelope)));
		}
	}
}

static void bad_addresses(void **state)
{
	struct xeno_frames *last = (void *)(window + sizeof(window) - 32);

	(void)state;
	assert_int_equal(control(0), -EFAULT);
	assert_int_equal(control(~0UL), -EFAULT);
	assert_int_equal(control(~0UL - 15), -EFAULT);
	assert_int_equal(control(WINDOW + sizeof(window) - 8), -EFAULT);
	/* The envelope is there, the rest is not. */
	last->head = (struct xeno_envelope){ XENO_FRAMES_VERSION,
					     XENO_OP_FRAMES, sizeof(*last), 0 };
	assert_int_equal(control(WINDOW + sizeof(window) - 32), -EFAULT);
}

/* ---- what is told ---- */

static void counters_of_each_cpu(void **state)
{
	struct xeno_cpu_counters c;

	(void)state;
	host_counters[0] = (struct cpu_counters){ 1, 2, 3, true };
	host_counters[1] = (struct cpu_counters){ 4, ~0UL, 6, false };
	memset(&c, JUNK, sizeof(c));
	c.cpu = c.mbz = 0;
	assert_int_equal(CALL(&c, CPU_COUNTERS), 0);
	assert_int_equal(c.cpu_count, 2);
	assert_int_equal(c.online, 1);
	assert_int_equal(c.entries, 1);
	assert_int_equal(c.page_table_loads, 2);
	assert_int_equal(c.copied_bytes, 3);
	c.cpu = 1;
	assert_int_equal(CALL(&c, CPU_COUNTERS), 0);
	assert_int_equal(c.online, 0);
	assert_int_equal(c.entries, 4);
	assert_int_equal(c.page_table_loads, ~0UL);
	assert_int_equal(c.copied_bytes, 6);

	c.cpu = 2;
	assert_int_equal(CALL(&c, CPU_COUNTERS), -ENOENT);
	c.cpu = ~0U;
	assert_int_equal(CALL(&c, CPU_COUNTERS), -ENOENT);
	c.cpu = 0;
	c.mbz = 1;
	assert_int_equal(CALL(&c, CPU_COUNTERS), -EINVAL);
	assert_int_equal(c.entries, 4);
}

static void books_balance(void **state)
{
	struct xeno_meters m;

	(void)state;
	meter_register(&zero->vcpus[0]->meter);
	host_clock_ns = 1000;
	meter_cpu_start(0, 1000);
	host_cpu = 0;
	meter_switch(&zero->vcpus[0]->meter, 1500);
	meter_switch(meter_overhead(METER_IRQ), 1800);
	meter_switch(meter_overhead(METER_SCHED), 1830);
	meter_switch(meter_overhead(METER_IDLE), 1832);
	host_clock_ns = 2000;
	memset(&m, JUNK, sizeof(m));
	assert_int_equal(CALL(&m, METERS), 0);
	assert_int_equal(m.elapsed_ns, 1000);
	assert_int_equal(m.sum_ns, 1000);
	assert_int_equal(m.boot_ns, 500);
	assert_int_equal(m.domains_ns, 300);
	assert_int_equal(m.irq_ns, 30);
	assert_int_equal(m.sched_ns, 2);
	assert_int_equal(m.idle_ns, 168);
	assert_int_equal(m.cpu[0].elapsed_ns, 1000);
	assert_int_equal(m.cpu[0].sum_ns, 1000);
	for (unsigned int i = 1; i < XENO_MAX_CPUS; i++) {
		assert_int_equal(m.cpu[i].elapsed_ns, 0);
		assert_int_equal(m.cpu[i].sum_ns, 0);
	}
	meter_forget(&zero->vcpus[0]->meter);
}

static void clock_is_the_machines(void **state)
{
	struct xeno_clock c;

	(void)state;
	memset(&c, JUNK, sizeof(c));
	host_clock_ns = 123456789;
	assert_int_equal(CALL(&c, CLOCK), 0);
	assert_int_equal(c.now_ns, 123456789);
	host_clock_ns++;
	assert_int_equal(CALL(&c, CLOCK), 0);
	assert_int_equal(c.now_ns, 123456790);
}

static void domain_meters(void **state)
{
	struct xeno_domain_meter m;
	u64 state_pages;

	(void)state;
	zero->vcpus[1]->meter.ns = 77;
	memset(&m, JUNK, sizeof(m));
	m.domain_id = XENO_DOMAIN_SELF;
	m.mbz = 0;
	assert_int_equal(CALL(&m, DOMAIN_METER), 0);
	assert_int_equal(m.domain_id, XENO_DOMAIN_SELF);
	assert_int_equal(m.id, 0);
	assert_int_equal(m.vcpu_count, 2);
	assert_int_equal(m.owned_pages, 0);
	assert_int_equal(m.max_pages, 1024);
	assert_int_equal(m.shared_pages, 1);
	/* Its struct domain is one page more. */
	assert_int_equal(m.state_pages, zero->owner.state_pages + 1);
	assert_int_equal(m.state_bytes,
			 m.state_pages * 4096 + 2 * VCPU_WINDOW_BYTES);
	assert_int_equal(m.vcpu_cpu_ns[0], 0);
	assert_int_equal(m.vcpu_cpu_ns[1], 77);
	for (unsigned int i = 2; i < XENO_MAX_VCPUS; i++)
		assert_int_equal(m.vcpu_cpu_ns[i], 0);

	m.domain_id = 1;
	assert_int_equal(CALL(&m, DOMAIN_METER), 0);
	assert_int_equal(m.id, 1);
	assert_int_equal(m.vcpu_count, 1);
	assert_int_equal(m.vcpu_cpu_ns[1], 0);
	/* What one domain asks for is on its account. */
	state_pages = m.state_pages;
	assert_int_equal(grant_setup(one, 3), 0);
	(void)fake_frame(one);
	assert_int_equal(CALL(&m, DOMAIN_METER), 0);
	assert_int_equal(m.state_pages, state_pages + m.shared_pages - 1);
	assert_true(m.shared_pages >= 4);
	assert_int_equal(m.owned_pages, 1);
}

static void no_such_domain(void **state)
{
	static const u32 ids[] = { 2,       1023,    1024,    0x7fef, 0x7ff1,
				   0x10000, 0x10001, 0x17ff0, ~0U };
	struct xeno_domain_meter m;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		memset(&m, JUNK, sizeof(m));
		m.domain_id = ids[i];
		m.mbz = 0;
		assert_int_equal(CALL(&m, DOMAIN_METER), -ESRCH);
		assert_int_equal(m.vcpu_count, 0xa5a5a5a5);
	}
	m.domain_id = 0;
	m.mbz = 1;
	assert_int_equal(CALL(&m, DOMAIN_METER), -EINVAL);
}

struct census {
	u64 domains, hypervisor, unowned, total, free, calls;
};

static struct census count_frames(void)
{
	struct census sum = { .calls = 0 };
	struct xeno_frames f;

	memset(&f, JUNK, sizeof(f));
	f.next_mfn = 0;
	do {
		f.first_mfn = f.next_mfn;
		assert_int_equal(CALL(&f, FRAMES), 0);
		assert_true(!f.next_mfn || f.next_mfn > f.first_mfn);
		sum.domains += f.domains;
		sum.hypervisor += f.hypervisor;
		sum.unowned += f.unowned;
		sum.calls++;
	} while (f.next_mfn);
	sum.total = f.total;
	sum.free = f.free;
	return sum;
}

static void every_frame_is_somewhere(void **state)
{
	struct census before = count_frames(), after;
	struct frame *f = frame_alloc(3);

	(void)state;
	assert_non_null(f);
	(void)fake_frame(one);
	after = count_frames();
	assert_int_equal(before.calls, 9);
	assert_int_equal(before.domains + before.hypervisor + before.unowned,
			 FRAMES - 1); /* frame 0 is never given out */
	assert_int_equal(before.total,
			 before.free + before.domains + before.hypervisor);
	assert_int_equal(after.total,
			 after.free + after.domains + after.hypervisor);
	assert_int_equal(after.domains, before.domains + 1);
	assert_int_equal(after.hypervisor, before.hypervisor + 8);
	assert_int_equal(after.free, before.free - 9);
	frame_free(f, 3);
}

static void frames_beyond_the_machine(void **state)
{
	static const u64 mfns[] = { FRAMES, FRAMES + 1, ~0UL, 1UL << 63 };
	struct xeno_frames f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mfns); i++) {
		f.first_mfn = mfns[i];
		assert_int_equal(CALL(&f, FRAMES), -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			others_are_refused_before_anything, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_operations, setup,
						teardown),
		cmocka_unit_test_setup_teardown(wrong_envelopes_change_nothing,
						setup, teardown),
		cmocka_unit_test_setup_teardown(bad_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(counters_of_each_cpu, setup,
						teardown),
		cmocka_unit_test_setup_teardown(books_balance, setup, teardown),
		cmocka_unit_test_setup_teardown(clock_is_the_machines, setup,
						teardown),
		cmocka_unit_test_setup_teardown(domain_meters, setup, teardown),
		cmocka_unit_test_setup_teardown(no_such_domain, setup,
						teardown),
		cmocka_unit_test_setup_teardown(every_frame_is_somewhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(frames_beyond_the_machine,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
