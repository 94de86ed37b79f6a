/* SPDX-License-Identifier: Apache-2.0 */
/* Runstate times and the virtual timer (contract in hv/runstate.h). */
#include <hv/runstate.h>

#define RUNSTATE_STATES 4

static void fill(const struct vcpu *v, struct vcpu_runstate_info *info)
{
	*info = (struct vcpu_runstate_info){
		.state = (int)v->runstate,
		.state_entry_time = v->runstate_since_ns,
	};
	for (int i = 0; i < RUNSTATE_STATES; i++)
		info->time[i] = v->runstate_ns[i];
}

/* Updates the guest's copy. With the assist enabled the guest takes nothing
 * of it while XEN_RUNSTATE_UPDATE is set. */
static void publish(const struct vcpu *v)
{
	const struct guest_area *a = &v->runstate_area;
	const u16 entry = offsetof(struct vcpu_runstate_info, state_entry_time);
	bool flagged =
		v->domain->vm_assist & (1U << VMASST_TYPE_runstate_update_flag);
	struct vcpu_runstate_info info;

	if (!a->size)
		return;
	fill(v, &info);
	if (!flagged) {
		guest_area_write(a, 0, &info, sizeof(info));
		return;
	}
	info.state_entry_time |= XEN_RUNSTATE_UPDATE;
	guest_area_write(a, entry, &info.state_entry_time, sizeof(u64));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	guest_area_write(a, 0, &info, sizeof(info));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	info.state_entry_time &= ~XEN_RUNSTATE_UPDATE;
	guest_area_write(a, entry, &info.state_entry_time, sizeof(u64));
}

void vcpu_runstate_init(struct vcpu *v, u32 state, u64 now_ns)
{
	spin_init(&v->runstate_lock, RANK_RUNSTATE);
	v->runstate = state;
	v->runstate_since_ns = now_ns;
	for (int i = 0; i < RUNSTATE_STATES; i++)
		v->runstate_ns[i] = 0;
}

/* Keeps what is left of the virtual time until v runs again. */
static void virtual_pause(struct vcpu *v, u64 now_ns)
{
	u64 ran_ns = now_ns - v->virtual_since_ns;

	v->virtual_left_ns -= MIN(v->virtual_left_ns, ran_ns);
}

void vcpu_runstate_change(struct vcpu *v, u32 state, u64 now_ns)
{
	bool stop = false, start = false;
	u64 expires_ns = 0;

	spin_lock(&v->runstate_lock);
	/* A reading of another CPU that waited for the lock may be older. */
	now_ns = MAX(now_ns, v->runstate_since_ns);
	if (v->virtual_armed && v->runstate == RUNSTATE_running) {
		virtual_pause(v, now_ns);
		stop = true;
	}
	if (v->virtual_armed && state == RUNSTATE_running) {
		v->virtual_since_ns = now_ns;
		expires_ns = now_ns + v->virtual_left_ns;
		start = true;
	}
	v->runstate_ns[v->runstate] += now_ns - v->runstate_since_ns;
	v->runstate_since_ns = now_ns;
	v->runstate = state;
	publish(v);
	spin_unlock(&v->runstate_lock);

	if (start)
		timer_set(&v->virtual_timer, expires_ns);
	else if (stop)
		timer_stop(&v->virtual_timer);
}

void vcpu_runstate_read(struct vcpu *v, struct vcpu_runstate_info *out,
			u64 now_ns)
{
	spin_lock(&v->runstate_lock);
	fill(v, out);
	if (now_ns > v->runstate_since_ns)
		out->time[v->runstate] += now_ns - v->runstate_since_ns;
	spin_unlock(&v->runstate_lock);
}

int vcpu_runstate_map(struct vcpu *v, u64 va)
{
	struct guest_area fresh = { .size = 0 }, old;
	int rc = 0;

	/* Mapped outside the lock, which ranks below the page tables'. */
	if (va)
		rc = guest_area_map(&fresh, v->domain, va,
				    sizeof(struct vcpu_runstate_info));
	if (rc)
		return rc;
	spin_lock(&v->runstate_lock);
	old = v->runstate_area;
	v->runstate_area = fresh;
	publish(v);
	spin_unlock(&v->runstate_lock);
	guest_area_unmap(&old);
	return 0;
}

void vcpu_runstate_unmap(struct vcpu *v)
{
	struct guest_area old;

	spin_lock(&v->runstate_lock);
	old = v->runstate_area;
	v->runstate_area = (struct guest_area){ .size = 0 };
	spin_unlock(&v->runstate_lock);
	guest_area_unmap(&old);
}

void vcpu_virtual_timer_set(struct vcpu *v, u64 run_ns, u64 now_ns)
{
	u64 expires_ns = run_ns > ~0UL - now_ns ? ~0UL : now_ns + run_ns;

	spin_lock(&v->runstate_lock);
	v->virtual_armed = true;
	v->virtual_left_ns = expires_ns - now_ns;
	v->virtual_since_ns = now_ns;
	spin_unlock(&v->runstate_lock);
	timer_set(&v->virtual_timer, expires_ns);
}

void vcpu_virtual_timer_stop(struct vcpu *v)
{
	spin_lock(&v->runstate_lock);
	v->virtual_armed = false;
	spin_unlock(&v->runstate_lock);
	timer_stop(&v->virtual_timer);
}

bool vcpu_virtual_timer_expired(struct vcpu *v)
{
	bool armed;

	spin_lock(&v->runstate_lock);
	armed = v->virtual_armed;
	v->virtual_armed = false;
	spin_unlock(&v->runstate_lock);
	return armed;
}
