/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit of a running machine (contract in hv/audit_point.h): names every
 * reference that no page table, pin or allocation explains, and lets mm_audit
 * recount. Exact because all CPUs stand between two operations: nobody has a
 * lock, or a reference that only its stack knows; operations that were
 * interrupted by a restart keep their progress in the frames.
 *
 * Time stands still meanwhile, for guests and timers: else a guest that is
 * audited often would do nothing but handle its ticks.
 */
#include <hv/audit.h>
#include <hv/audit_point.h>
#include <hv/domain.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/clock.h>
#include <arch/guest_time.h>
#include <arch/rendezvous.h>

#define REFS_ORDER 6
/* A Domain 0 of 96 MiB has some 500 tables. */
#define COPIES_ORDER 10
/* Remembered counts are checked by forgetting them so often. */
#define AUDITS_BETWEEN_FORGETTING 500

static u64 interval, points;
/* While all others stand: */
static u64 audits, total_ticks, longest_ticks;
static struct audit_memory memory;
static struct audit_ref *refs;
static unsigned int ref_count;
static struct frame_owner *owners[DOMAIN_MAX];

static unsigned int order_of(u64 bytes)
{
	unsigned int order = 0;

	while (PAGE_SIZE << order < bytes)
		order++;
	return order;
}

static void *pages(unsigned int order)
{
	struct frame *f = frame_alloc(order);

	if (!f)
		panic("audit: no memory for its counts");
	return mfn_to_virt(frame_mfn(f));
}

void audit_init(u64 every)
{
	if (!every)
		return;
	refs = pages(REFS_ORDER);
	memory.frames = pages(order_of(frame_max_mfn * sizeof(*memory.frames)));
	memory.tables = pages(order_of(frame_max_mfn * sizeof(*memory.tables)));
	memory.copies = pages(COPIES_ORDER);
	memory.copy_count = 1U << COPIES_ORDER;
	interval = every;
	log_info("audit of all counts after every %lu. operation",
		 (unsigned long)every);
}

static void ref_add(u64 mfn, enum audit_kind kind)
{
	if (ref_count == (PAGE_SIZE << REFS_ORDER) / sizeof(*refs))
		panic("audit: more references than it has room for");
	refs[ref_count++] = (struct audit_ref){ (u32)mfn, kind };
}

/* ---- what a vCPU holds ---- */

static void add_root(u64 cr3)
{
	u64 mfn = cr3 >> PAGE_SHIFT, ref;

	if (!cr3)
		return;
	ref = frame_table[mfn].ref;
	if (frame_type(ref) != FRAME_L4 || !(ref & FRAME_VALIDATED))
		panic("audit: a vCPU's table %lx is no valid L4: %lx",
		      (unsigned long)mfn, (unsigned long)ref);
	ref_add(mfn, AUDIT_TABLE);
}

static void add_segdescs(const u32 *mfns, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (mfns[i])
			ref_add(mfns[i], AUDIT_SEGDESC);
}

static void add_vcpu(const struct vcpu *v)
{
	const struct arch_vcpu *a = &v->arch;
	const struct guest_area *area = &v->runstate_area;

	add_root(a->kernel_cr3);
	add_root(a->user_cr3);
	add_segdescs(a->gdt_frames_mfn, ARRAY_SIZE(a->gdt_frames_mfn));
	add_segdescs(a->ldt_frames_mfn, ARRAY_SIZE(a->ldt_frames_mfn));
	if (a->info != &v->domain->shared_info->vcpu_info[v->id])
		ref_add(virt_to_mfn(a->info), AUDIT_WRITABLE);
	for (unsigned int i = 0; area->size && i < 2; i++)
		if (area->frame[i])
			ref_add(frame_mfn(area->frame[i]), AUDIT_WRITABLE);
}

/* ---- what grants hold ---- */

static void add_pin(void *ctx, u32 mfn, u32 readers, u32 writers)
{
	(void)ctx;
	while (readers--)
		ref_add(mfn, AUDIT_GENERAL);
	while (writers--)
		ref_add(mfn, AUDIT_WRITABLE);
}

/* ---- all of it ---- */

static void run(void)
{
	struct mm_audit a = { owners, 0, refs, 0, &memory };
	int wrong;

	ref_count = 0;
	for (unsigned int i = 0; i < DOMAIN_MAX; i++) {
		const struct domain *d = domain_table[i];

		if (!d)
			continue;
		owners[a.owner_count++] = &domain_table[i]->owner;
		for (unsigned int k = 0; k < d->vcpu_count; k++)
			if (d->vcpus[k])
				add_vcpu(d->vcpus[k]);
		grant_for_each_pin(d, add_pin, NULL);
		if (d->meter_page)
			ref_add(virt_to_mfn(d->meter_page), AUDIT_SEGDESC);
	}
	a.ref_count = ref_count;
	if (audits % AUDITS_BETWEEN_FORGETTING == 0)
		audit_forget(&memory);
	wrong = mm_audit(&a);
	audits++;
	if (wrong) {
		const struct guest_regs *r = &current_vcpu()->arch.regs;

		panic("audit %lu: %d differences after operation %lu: vector %x, rax %lx, rdi %lx, rsi %lx",
		      (unsigned long)audits, wrong, (unsigned long)points,
		      r->vector, (unsigned long)r->rax, (unsigned long)r->rdi,
		      (unsigned long)r->rsi);
	}
}

static void skip_time(u64 ticks)
{
	clock_skip(ticks);
	for (unsigned int i = 0; i < DOMAIN_MAX; i++) {
		const struct domain *d = domain_table[i];

		for (unsigned int k = 0; d && k < d->vcpu_count; k++)
			if (d->vcpus[k])
				guest_time_update(d->vcpus[k]->arch.info);
	}
}

void audit_point(void)
{
	u64 start, ticks;

	if (!interval ||
	    __atomic_add_fetch(&points, 1, __ATOMIC_RELAXED) % interval)
		return;
	cpus_stop();
	/* Until now others ran, and read the clock. */
	start = clock_ticks();
	run();
	ticks = clock_ticks() - start;
	total_ticks += ticks;
	longest_ticks = MAX(longest_ticks, ticks);
	skip_time(ticks);
	cpus_resume();
}

void audit_print(void)
{
	if (!audits)
		return;
	log_info(
		"audit operations=%lu audits=%lu mean_us=%lu longest_us=%lu total_ms=%lu tables=%u",
		(unsigned long)points, (unsigned long)audits,
		(unsigned long)(clock_ticks_to_us(total_ticks) / audits),
		(unsigned long)clock_ticks_to_us(longest_ticks),
		(unsigned long)(clock_ticks_to_us(total_ticks) / 1000),
		memory.table_most);
}
