/* SPDX-License-Identifier: Apache-2.0 */
/* Domains: creation, look-up, and the ways a domain ends. */
#include <hv/dispatch.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/event.h>
#include <hv/format.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/runstate.h>
#include <hv/string.h>
#include <hv/trace.h>
#include <hv/vcpu_timer.h>

#include <arch/clock.h>
#include <arch/context.h>
#include <arch/guest_time.h>

#include <xen/sched.h>

#define GUEST_LOG_BURST 20
#define GUEST_LOG_PER_SECOND 10

struct domain *domain_table[DOMAIN_MAX];
struct domain *domain0;

struct domain *domain_find(u16 domid)
{
	if (domid == DOMID_SELF)
		return current_domain();
	return domid < DOMAIN_MAX ? READ_ONCE(domain_table[domid]) : NULL;
}

static int create_shared_info(struct domain *d)
{
	struct frame *f;
	int err = frame_owner_alloc(&d->owner, FRAME_FLAG_SHARED, &f);

	if (err)
		return err;
	m2p_set(frame_mfn(f), M2P_INVALID);
	d->shared_info = mfn_to_virt(frame_mfn(f));
	memset(d->shared_info->evtchn_mask, 0xff,
	       sizeof(d->shared_info->evtchn_mask));
	guest_wallclock_set(d, clock_wall_ns_at_boot());
	return 0;
}

static int create_vcpu(struct domain *d, unsigned int id)
{
	static const struct sched_params defaults = {
		.weight = SCHED_WEIGHT_DEFAULT,
	};
	struct vcpu *v = state_page_alloc(&d->owner);
	int err;

	if (!v)
		return -ENOMEM;
	v->domain = d;
	v->id = id;
	v->down = true;
	v->poll_port = ~0U;
	vcpu_runstate_init(v, RUNSTATE_offline, clock_now_ns());
	err = vcpu_arch_init(v);
	if (err) {
		state_page_free(&d->owner, v);
		return err;
	}
	v->arch.info = &d->shared_info->vcpu_info[id];
	v->arch.info->evtchn_upcall_mask = 1;
	guest_time_init(v->arch.info);
	vcpu_timers_init(v);
	sched_unit_init(&v->sched, &defaults);
	meter_register(&v->meter);
	d->vcpus[id] = v;
	return 0;
}

int domain_create(u16 id, bool privileged, unsigned int vcpus, u64 max_pages,
		  struct domain **out)
{
	struct frame *f;
	struct domain *d;
	int err = 0;

	if (id >= DOMAIN_MAX || !vcpus || vcpus > DOMAIN_MAX_VCPUS)
		return -EINVAL;
	if (domain_table[id])
		return -EEXIST;
	f = frame_alloc(0);
	if (!f)
		return -ENOMEM;
	d = mfn_to_virt(frame_mfn(f));
	d->id = id;
	d->privileged = privileged;
	d->vcpu_count = vcpus;
	spin_init(&d->lock, RANK_DOMAIN_LIST);
	frame_owner_init(&d->owner, id, max_pages);
	err = create_shared_info(d);
	if (!err)
		err = event_domain_init(d);
	if (!err)
		err = grant_domain_init(d);
	for (unsigned int i = 0; !err && i < vcpus; i++)
		err = create_vcpu(d, i);
	if (err)
		return err;
	WRITE_ONCE(domain_table[id], d);
	*out = d;
	return 0;
}

void domain_start(struct domain *d)
{
	struct vcpu *v = d->vcpus[0];

	d->state = DOMAIN_RUNNING;
	v->initialised = true;
	v->down = false;
	vcpu_start(v);
}

/* ---- the end ---- */

static void end(struct domain *d, u32 code)
{
	spin_lock(&d->lock);
	if (d->state == DOMAIN_RUNNING) {
		d->shutdown_code = code;
		WRITE_ONCE(d->state, DOMAIN_SHUT_DOWN);
	}
	spin_unlock(&d->lock);
	for (unsigned int i = 0; i < d->vcpu_count; i++)
		if (d->vcpus[i])
			vcpu_stop_soon(d->vcpus[i]);
	if (domain0 && d != domain0)
		event_virq_global(domain0, VIRQ_DOM_EXC);
}

/* May be called with any lock held: the state change alone takes none that
 * ranks above, so it is done by an atomic exchange here. */
void domain_crash(struct domain *d, const char *fmt, ...)
{
	enum domain_state running = DOMAIN_RUNNING;
	va_list ap;

	if (!__atomic_compare_exchange_n(&d->state, &running, DOMAIN_SHUT_DOWN,
					 false, __ATOMIC_SEQ_CST,
					 __ATOMIC_SEQ_CST))
		return;
	va_start(ap, fmt);
	hv_vsnprintf(d->crash_reason, sizeof(d->crash_reason), fmt, ap);
	va_end(ap);
	d->shutdown_code = SHUTDOWN_crash;
	trace(TRACE_CRASH, d->id, 0);
	log_warn("domain %u crashed: %s", d->id, d->crash_reason);
	for (unsigned int i = 0; i < d->vcpu_count; i++)
		if (d->vcpus[i])
			vcpu_stop_soon(d->vcpus[i]);
}

void domain_shutdown(struct domain *d, u32 code)
{
	trace(TRACE_SHUTDOWN, d->id, code);
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
