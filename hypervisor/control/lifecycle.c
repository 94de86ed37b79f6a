// SPDX-License-Identifier: Apache-2.0
/*
 * The end of domains: one list of steps, in order. Each is done when it
 * returns 0, and d->exit_stage remembers how far we are, so that tear-down can
 * be cut anywhere and goes on where it was. The order follows from who may
 * still reach what:
 *
 *   dying     no new reference, port, grant or vCPU can be made
 *   stop      no CPU runs it
 *   settle    whoever was about to make a reference has left the hypervisor
 *   net       its interfaces are gone; the card may hold packets for a while
 *   block     its disks have nothing in flight and hold none of its pages
 *   events    no port of another domain leads here
 *   vcpus     timers, registered areas, base tables, descriptor pages
 *   grants    what it mapped of others
 *   frames    its tables and memory; others may hold frames for a while
 *   unlink    it cannot be found any more
 *   unborrow  whoever had found it has left the hypervisor
 *   tables    grant and event state; others may hold grants for a while
 *   free      its vCPUs, and the domain itself
 */
#include "lifecycle.h"

#include <hv/block.h>
#include <hv/console.h>
#include <hv/control.h>
#include <hv/dispatch.h>
#include <hv/domain_meter.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/net.h>
#include <hv/runstate.h>
#include <hv/timer.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>
#include <arch/context.h>

#include "control_ops.h"

/* Of the budget, whose unit is a page-table entry. */
#define COST_VCPU 100

/* After which zombies that can go on are looked at again. */
#define REAP_AGAIN_NS 50000UL

static struct domain *zombies;
static struct timer reap_timer;

static int step_dying(struct domain *d, int *budget)
{
	(void)budget;
	__atomic_store_n(&d->state, DOMAIN_DYING, __ATOMIC_SEQ_CST);
	domain_meter_state(d);
	spin_lock(&d->owner.lock);
	WRITE_ONCE(d->owner.dying, true);
	spin_unlock(&d->owner.lock);
	return 0;
}

static int step_stop(struct domain *d, int *budget)
{
	(void)budget;
	for (u32 i = 0; i < d->vcpu_count; i++)
		vcpu_stop_soon(d->vcpus[i]);
	if (!domain_stopped(d))
		return -ERESTART;
	d->exit_grace = domain_grace_begin();
	return 0;
}

static int step_grace(struct domain *d, int *budget)
{
	(void)budget;
	return domain_grace_over(d->exit_grace) ? 0 : -ERESTART;
}

static int step_vcpus(struct domain *d, int *budget)
{
	for (; d->exit_vcpu < d->vcpu_count; d->exit_vcpu++) {
		struct vcpu *v = d->vcpus[d->exit_vcpu];
		int rc;

		if (*budget <= 0)
			return -ERESTART;
		*budget -= COST_VCPU;
		vcpu_timers_exit(v);
		vcpu_runstate_unmap(v);
		vcpu_info_release(v);
		rc = vcpu_arch_exit(v, budget);
		if (rc)
			return rc;
	}
	return 0;
}

static int step_frames(struct domain *d, int *budget)
{
	int rc = frame_owner_destroy(&d->owner, (unsigned int)MAX(*budget, 1));

	if (rc == -ERESTART)
		*budget = 0;
	return rc;
}

static int step_unlink(struct domain *d, int *budget)
{
	(void)budget;
	__atomic_store_n(&d->gone, true, __ATOMIC_SEQ_CST);
	d->exit_grace = domain_grace_begin();
	return 0;
}

static int step_tables(struct domain *d, int *budget)
{
	int rc = grant_domain_free(d);

	(void)budget;
	if (rc)
		return rc;
	event_domain_free(d);
	return 0;
}

static int step_free(struct domain *d, int *budget)
{
	(void)budget;
	/* A wake that was under way when we stopped it. */
	for (u32 i = 0; i < d->vcpu_count; i++)
		vcpu_stop_soon(d->vcpus[i]);
	return domain_stopped(d) ? domain_free(d) : -ERESTART;
}

static int (*const steps[])(struct domain *d, int *budget) = {
	step_dying,        step_stop,         step_grace, net_domain_exit,
	block_domain_exit, event_domain_exit, step_vcpus, grant_domain_exit,
	step_frames,       step_unlink,       step_grace, step_tables,
	step_free,
};

/* 0: the domain is no more. */
static int advance(struct domain *d, int *budget)
{
	u32 stage = d->exit_stage;

	while (stage < ARRAY_SIZE(steps)) {
		int rc;

		d->exit_stage = (u8)stage;
		rc = *budget > 0 ? steps[stage](d, budget) : -ERESTART;
		if (rc)
			return rc;
		stage++;
	}
	domain_exception_soon();
	return 0;
}

int lifecycle_destroy(struct domain *d, int *budget)
{
	int rc = advance(d, budget);

	if (rc != -EBUSY)
		return rc;
	/* Whoever holds something of it learns that it should let go. */
	d->zombie = true;
	d->next_zombie = zombies;
	zombies = d;
	domain_exception_soon();
	/* The last hold may have gone before it was one. */
	frame_owner_freed();
	return 0;
}

struct domain *lifecycle_find(u16 id)
{
	struct domain *d = id < DOMAIN_MAX ? domain_table[id] : NULL;

	return d && !d->zombie ? d : NULL;
}

/* Looks at every zombie once. What those wait for that can go on, disks and
 * other CPUs, comes by interrupts: again only after this CPU has let some in.
 */
static void reap(void)
{
	int budget = CONTROL_BUDGET;
	struct domain **at = &zombies;
	bool again = false;

	spin_lock(&control_lock);
	while (*at) {
		struct domain *d = *at, *next = d->next_zombie;
		int rc = advance(d, &budget);

		if (!rc) {
			*at = next;
			continue;
		}
		again = again || rc == -ERESTART;
		at = &d->next_zombie;
	}
	spin_unlock(&control_lock);
	if (again)
		timer_set(&reap_timer, clock_now_ns() + REAP_AGAIN_NS);
}

static void reap_soon(void *data)
{
	(void)data;
	frame_owner_freed();
}

/* For tests: guests must go on without Domain 0. */
static void toggle_domain0(void)
{
	static bool paused;

	paused = !paused;
	if (paused)
		domain_pause(domain0);
	else
		domain_unpause(domain0);
	log_info("domain 0 is %s", paused ? "paused" : "running");
}

void control_init(void)
{
	timer_init(&reap_timer, reap_soon, NULL);
	domain_set_reaper(reap);
	console_debug_key('0', "pause or unpause domain 0", toggle_domain0);
}
