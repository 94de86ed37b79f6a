// SPDX-License-Identifier: Apache-2.0
/* See domains.h. A vCPU that is "on a CPU" is one that a test says is loaded.
 */
#include "real_domains.h"

#include <hv/console.h>
#include <hv/dispatch.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/hypercall.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>
#include <hv/trace.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/cpu.h>
#include <arch/guest_time.h>
#include <arch/host_machine.h>

#include "domains.h"

unsigned int fake_arch_vcpus;
u64 fake_grace = ~0UL;
static u64 graces;

/* ---- the machine's part of a vCPU: its base table ---- */

int vcpu_arch_init(struct vcpu *v)
{
	(void)v;
	fake_arch_vcpus++;
	return 0;
}

int vcpu_arch_exit(struct vcpu *v, int *budget)
{
	struct frame_owner *o = &v->domain->owner;
	u64 cr3 = v->arch.kernel_cr3;

	CHECK(fake_arch_vcpus--);
	if (!cr3 || !v->initialised)
		return 0;
	v->arch.kernel_cr3 = 0;
	spin_lock(&o->mmu_lock);
	frame_put_table_locked(o, frame_of_mfn(cr3 >> PAGE_SHIFT), budget);
	spin_unlock(&o->mmu_lock);
	return 0;
}

int vcpu_initialise_from(struct vcpu *v, const struct vcpu_guest_context *ctx)
{
	struct frame_owner *o = &v->domain->owner;
	struct frame *f = frame_of_mfn(ctx->ctrlreg[3] >> PAGE_SHIFT);
	int budget = HYPERCALL_BUDGET, rc;

	if (!f)
		return -EINVAL;
	spin_lock(&o->mmu_lock);
	rc = frame_get_table_locked(o, f, FRAME_L4, &budget);
	spin_unlock(&o->mmu_lock);
	if (!rc)
		v->arch.kernel_cr3 = frame_mfn(f) << PAGE_SHIFT;
	return rc;
}

void vcpu_describe(const struct vcpu *v, struct vcpu_guest_context *ctx)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->ctrlreg[3] = v->arch.kernel_cr3;
}

void guest_time_init(struct vcpu_info *info)
{
	info->time.version = 2;
}

void guest_wallclock_set(struct domain *d, u64 wall_at_zero_ns)
{
	d->shared_info->wc_sec = (u32)(wall_at_zero_ns / 1000000000UL);
}

u64 clock_wall_ns_at_boot(void)
{
	return 0;
}

u64 clock_tsc_khz(void)
{
	return 1000000;
}

/* ---- the dispatcher ---- */

void vcpu_start(struct vcpu *v)
{
	if (READ_ONCE(v->domain->state) == DOMAIN_RUNNING && !v->down &&
	    !v->blocked && !v->domain->pause_count)
		sched_wake(&v->sched);
}

void vcpu_stop_soon(struct vcpu *v)
{
	sched_sleep(&v->sched);
}

void vcpu_kick(struct vcpu *v)
{
	v->blocked = false;
	fake_kicked(v);
}

void vcpu_block_current(void)
{
	current_vcpu()->blocked = true;
}

void vcpu_yield_current(void)
{
	fake_yields++;
}

u64 domain_grace_begin(void)
{
	return ++graces;
}

bool domain_grace_over(u64 grace)
{
	return grace <= fake_grace;
}

/* ---- the console ---- */

size_t console_ring_read(u64 *pos, char *buf, size_t size)
{
	static const char text[] = "what was said";
	size_t n = 0;

	while (n < size && *pos < sizeof(text) - 1)
		buf[n++] = text[(*pos)++];
	return n;
}

void console_debug_key(char key, const char *help, void (*fn)(void))
{
	(void)key, (void)help, (void)fn;
}

void console_press_debug_key(char key)
{
	(void)key;
}

void trace(enum trace_event event, u64 a, u64 b)
{
	(void)event, (void)a, (void)b;
}

/* ---- domains ---- */

struct domain *fake_domain_create(u16 id, u32 vcpus, bool privileged)
{
	static bool ready;
	struct domain *d;

	if (!ready)
		sched_init(&sched_bvt, cpu_count);
	for (unsigned int i = 0; !ready && i < cpu_count; i++)
		timer_cpu_init(i);
	ready = true;
	CHECK(!domain_create(id, privileged, vcpus, 1024, &d));
	d->state = DOMAIN_RUNNING;
	if (privileged)
		domain0 = d;
	return d;
}

bool fake_domain_destroy(struct domain *d)
{
	int budget = 1 << 20;
	int rc;

	d->owner.dying = true;
	CHECK(!event_domain_exit(d, &budget));
	CHECK(!grant_domain_exit(d, &budget));
	for (u32 i = 0; i < d->vcpu_count; i++)
		CHECK(!vcpu_arch_exit(d->vcpus[i], &budget));
	do
		rc = frame_owner_destroy(&d->owner, 64);
	while (rc == -ERESTART);
	if (rc || grant_domain_free(d))
		return false;
	event_domain_free(d);
	if (d == domain0)
		domain0 = NULL;
	return !domain_free(d);
}
