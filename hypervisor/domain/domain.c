/* SPDX-License-Identifier: Apache-2.0 */
/* Domains: look-up, running and pausing, and the ways a domain ends. */
#include <hv/dispatch.h>
#include <hv/domain_meter.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/format.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/trace.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#include <xen/sched.h>

#define GUEST_LOG_BURST 20
#define GUEST_LOG_PER_SECOND 10

struct domain *domain_table[DOMAIN_MAX];
struct domain *domain0;

struct domain *domain_find(u16 domid)
{
	struct domain *d;

	if (domid == DOMID_SELF)
		return current_domain();
	d = domid < DOMAIN_MAX ? READ_ONCE(domain_table[domid]) : NULL;
	return d && !READ_ONCE(d->gone) ? d : NULL;
}

void domain_start(struct domain *d)
{
	struct vcpu *v = d->vcpus[0];

	d->state = DOMAIN_RUNNING;
	domain_meter_state(d);
	v->initialised = true;
	v->down = false;
	vcpu_start(v);
}

static void stop_all(const struct domain *d)
{
	for (u32 i = 0; i < d->vcpu_count; i++)
		vcpu_stop_soon(d->vcpus[i]);
}

void domain_pause(struct domain *d)
{
	__atomic_add_fetch(&d->pause_count, 1, __ATOMIC_SEQ_CST);
	stop_all(d);
}

void domain_unpause(struct domain *d)
{
	enum domain_state building = DOMAIN_BUILDING;

	if (__atomic_sub_fetch(&d->pause_count, 1, __ATOMIC_SEQ_CST))
		return;
	__atomic_compare_exchange_n(&d->state, &building, DOMAIN_RUNNING, false,
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	domain_meter_state(d);
	for (u32 i = 0; i < d->vcpu_count; i++)
		vcpu_start(d->vcpus[i]);
}

int domain_resume(struct domain *d)
{
	enum domain_state ended = DOMAIN_SHUT_DOWN;

	if (d->shutdown_code == SHUTDOWN_crash || READ_ONCE(d->state) != ended)
		return -EINVAL;
	WRITE_ONCE(d->shut_down, false);
	if (!__atomic_compare_exchange_n(&d->state, &ended, DOMAIN_RUNNING,
					 false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return -EINVAL;
	domain_meter_state(d);
	for (u32 i = 0; i < d->vcpu_count; i++)
		vcpu_start(d->vcpus[i]);
	return 0;
}

bool domain_stopped(const struct domain *d)
{
	for (u32 i = 0; i < d->vcpu_count; i++) {
		const struct sched_unit *u = &d->vcpus[i]->sched;

		if (READ_ONCE(u->state) != SCHED_SLEEPING ||
		    __atomic_load_n(&u->loaded, __ATOMIC_ACQUIRE))
			return false;
	}
	return true;
}

/* ---- chores of the way out ---- */

static u32 exception_due;
static void (*reaper)(void);

void domain_exception_soon(void)
{
	__atomic_store_n(&exception_due, 1, __ATOMIC_SEQ_CST);
	cpu_kick(cpu_id(), CPU_WORK_RESCHED);
}

void domain_set_reaper(void (*fn)(void))
{
	reaper = fn;
}

bool domain_chores_due(void)
{
	return READ_ONCE(exception_due) || READ_ONCE(frame_owners_freed);
}

void domain_chores(void)
{
	if (__atomic_exchange_n(&exception_due, 0, __ATOMIC_SEQ_CST))
		event_virq_global(domain0, VIRQ_DOM_EXC);
	if (__atomic_exchange_n(&frame_owners_freed, 0, __ATOMIC_SEQ_CST) &&
	    reaper)
		reaper();
}

/* ---- the end ---- */

/* Takes no lock: a crash may come with any of them held. */
static bool end(struct domain *d, u32 code)
{
	enum domain_state state = READ_ONCE(d->state);

	do {
		if (state != DOMAIN_RUNNING && state != DOMAIN_BUILDING)
			return false;
		/* Before the state, which whoever reads it saw first. */
		WRITE_ONCE(d->shutdown_code, code);
		WRITE_ONCE(d->shut_down, true);
	} while (!__atomic_compare_exchange_n(
		&d->state, &state, DOMAIN_SHUT_DOWN, false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST));
	domain_meter_state(d);
	stop_all(d);
	if (d != domain0)
		domain_exception_soon();
	return true;
}

void domain_crash(struct domain *d, const char *fmt, ...)
{
	enum domain_state state = READ_ONCE(d->state);
	va_list ap;

	if ((state != DOMAIN_RUNNING && state != DOMAIN_BUILDING) ||
	    __atomic_exchange_n(&d->crashing, true, __ATOMIC_SEQ_CST))
		return;
	/* Whoever sees the end sees its reason. */
	va_start(ap, fmt);
	hv_vsnprintf(d->crash_reason, sizeof(d->crash_reason), fmt, ap);
	va_end(ap);
	if (!end(d, SHUTDOWN_crash))
		return;
	trace(TRACE_CRASH, d->id, 0);
	log_warn("domain %u crashed: %s", d->id, d->crash_reason);
}

void domain_shutdown(struct domain *d, u32 code)
{
	trace(TRACE_SHUTDOWN, d->id, code);
	if (code == SHUTDOWN_crash)
		domain_crash(d, "its own kernel gave up");
	else
		end(d, code);
}

/* ---- messages that guests can cause ---- */

void guest_log(struct domain *d, const char *fmt, ...)
{
	u64 now_ns = clock_now_ns();
	u64 refill = (now_ns - d->log_refilled_ns) * GUEST_LOG_PER_SECOND /
		     1000000000UL;
	char line[160];
	va_list ap;

	if (refill) {
		d->log_tokens =
			MIN(d->log_tokens + refill, (u64)GUEST_LOG_BURST);
		d->log_refilled_ns = now_ns;
	}
	if (!d->log_tokens)
		return;
	d->log_tokens--;
	va_start(ap, fmt);
	hv_vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_info("domain %u: %s", d->id, line);
}
