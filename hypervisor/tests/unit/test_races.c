// SPDX-License-Identifier: Apache-2.0
/*
 * Threads play CPUs that change the same tables at once, while one domain is
 * being taken apart. Built with the thread sanitizer; afterwards all counts
 * must be right and all memory must come back.
 */
#include <pthread.h>
#include <sched.h>

#include <hv/audit.h>
#include <hv/errno.h>
#include <hv/mm.h>

#include <arch/cpu.h>
#include <arch/host_machine.h>
#include <arch/pagetable.h>

#include "../fake/audit_memory.h"
#include "unit.h"

#define FRAMES 48
#define THREADS 3
#define STEPS 200000

static struct frame_owner owner[2];
static struct frame_owner *const owners[2] = { &owner[0], &owner[1] };
AUDIT_MEMORY(audit_memory, FRAMES);
static unsigned long succeeded[THREADS];

/*
 * Volatile accesses are the hypervisor's "exactly one load": what they read
 * may be old, and the code says so. The compiler reports them here instead of
 * as plain accesses.
 */
#define VOLATILE_HOOK(name)                                                    \
	void name(void *p);                                                    \
	void name(void *p)                                                     \
	{                                                                      \
		(void)p;                                                       \
	}
VOLATILE_HOOK(__tsan_volatile_read1)
VOLATILE_HOOK(__tsan_volatile_read2)
VOLATILE_HOOK(__tsan_volatile_read4)
VOLATILE_HOOK(__tsan_volatile_read8)
VOLATILE_HOOK(__tsan_volatile_write1)
VOLATILE_HOOK(__tsan_volatile_write2)
VOLATILE_HOOK(__tsan_volatile_write4)
VOLATILE_HOOK(__tsan_volatile_write8)

struct player {
	unsigned int number;
	u64 random;
};

static unsigned int below(struct player *p, unsigned int n)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (unsigned int)(p->random >> 33) % n;
}

static u64 mfn_any(struct player *p)
{
	return below(p, FRAMES);
}

static u64 entry_any(struct player *p)
{
	static const u64 flags[] = { 0, PTE_P, PTE_P, PTE_P | PTE_RW };

	return mfn_any(p) << PAGE_SHIFT | flags[below(p, 4)];
}

static int write_memory(struct frame_owner *o, struct player *p)
{
	u64 mfn = mfn_any(p), *e;
	struct frame *f = &frame_table[mfn];

	if (frame_get_writable(f, o->id))
		return -EINVAL;
	/* Guests race on their memory as they like. */
	e = (u64 *)mfn_to_virt(mfn) + below(p, 4);
	__atomic_store_n(e, below(p, 2) ? entry_any(p) : 0, __ATOMIC_RELAXED);
	frame_put_writable(f);
	return 0;
}

static int update(struct frame_owner *o, struct player *p)
{
	u64 ma = mfn_any(p) * PAGE_SIZE + below(p, 4) * 8UL;
	int budget = 1 + (int)below(p, 100), rc;

	spin_lock(&o->mmu_lock);
	rc = mmu_update_locked(o, o, ma, entry_any(p), below(p, 2), NULL,
			       &budget);
	spin_unlock(&o->mmu_lock);
	return rc;
}

static int update_l1(struct frame_owner *o, struct player *p)
{
	u64 ma = mfn_any(p) * PAGE_SIZE + below(p, 4) * 8UL;

	return mmu_update_l1(o, owners[below(p, 2)], ma, entry_any(p),
			     below(p, 2));
}

static int descriptors(struct frame_owner *o, struct player *p)
{
	struct frame *f = &frame_table[mfn_any(p)];
	int rc = frame_get_segdesc(o, f);

	if (!rc)
		frame_put_segdesc(f);
	return rc;
}

static int base_switch(struct frame_owner *o, struct player *p)
{
	struct frame *f = &frame_table[mfn_any(p)];
	int budget = 1 + (int)below(p, 100), rc;

	spin_lock(&o->mmu_lock);
	rc = frame_get_table_locked(o, f, FRAME_L4, &budget);
	spin_unlock(&o->mmu_lock);
	if (rc)
		return rc;
	sched_yield();
	spin_lock(&o->mmu_lock);
	frame_put_table_locked(o, f, &budget);
	spin_unlock(&o->mmu_lock);
	return 0;
}

static int exchange(struct frame_owner *o, struct player *p)
{
	struct frame *f = &frame_table[mfn_any(p)];
	int rc;

	if (READ_ONCE(o->dying))
		return -EINVAL;
	rc = frame_owner_steal(o, f);
	if (!rc)
		frame_owner_give(o, f);
	return rc;
}

static int step(struct frame_owner *o, struct player *p)
{
	int budget = 1 + (int)below(p, 200);
	struct frame *f;

	switch (below(p, 12)) {
	case 0:
	case 1:
		return write_memory(o, p);
	case 2:
	case 3:
		return mmu_pin(o, mfn_any(p), 1 + below(p, 4), &budget);
	case 4:
		return mmu_unpin(o, mfn_any(p), &budget);
	case 5:
		return update(o, p);
	case 6:
	case 7:
		return update_l1(o, p);
	case 8:
		return descriptors(o, p);
	case 9:
		return base_switch(o, p);
	case 10:
		return below(p, 2) ? frame_owner_alloc(o, 0, &f)
				   : exchange(o, p);
	default:
		return frame_owner_release(o, &frame_table[mfn_any(p)]);
	}
}

static void *play(void *arg)
{
	struct player *p = arg;
	unsigned int i;

	host_cpu = p->number;
	for (i = 0; i < STEPS; i++) {
		if (!step(owners[below(p, 2)], p))
			succeeded[p->number]++;
		if (p->number == 0 && i > STEPS / 2 && below(p, 50) == 0)
			(void)!frame_owner_destroy(&owner[1], 5);
	}
	return NULL;
}

static void counts_survive_racing_cpus_and_a_dying_domain(void **state)
{
	static struct player players[THREADS];
	struct mm_audit a = { owners, 2, NULL, 0, &audit_memory };
	pthread_t threads[THREADS];
	struct frame *f;
	unsigned int i;
	int rc[2];

	(void)state;
	for (i = 0; i < 2; i++) {
		frame_owner_init(&owner[i], (u16)(i + 1), 20);
		owner[i].dirty_cpus = (1UL << THREADS) - 1;
		while (owner[i].pages < 12)
			assert_int_equal(frame_owner_alloc(&owner[i], 0, &f),
					 0);
	}
	for (i = 0; i < THREADS; i++) {
		players[i] = (struct player){ i, 0x9e3779b9UL * (i + 1) };
		pthread_create(&threads[i], NULL, play, &players[i]);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		print_message("thread %u: %lu of %u steps succeeded\n", i,
			      succeeded[i], STEPS);
		assert_true(succeeded[i] > STEPS / 50);
	}
	assert_int_equal(mm_audit(&a), 0);
	for (i = 0; i < 1000; i++) {
		rc[0] = frame_owner_destroy(&owner[0], 10);
		rc[1] = frame_owner_destroy(&owner[1], 10);
		if (!rc[0] && !rc[1])
			break;
	}
	assert_true(i < 1000);
	assert_int_equal(frame_free_count(), frame_total_count());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_survive_racing_cpus_and_a_dying_domain),
	};

	host_machine_init(FRAMES, THREADS);
	frame_alloc_add(0, FRAMES);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
