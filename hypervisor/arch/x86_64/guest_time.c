/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/domain.h>

#include <arch/guest_time.h>
#include <arch/internal.h>

static u64 wall_at_zero;

void guest_time_init(struct vcpu_info *info)
{
	u64 base;
	u32 mul;
	s8 shift;

	clock_guest_params(&base, &mul, &shift);
	info->time.version = 2; /* even: consistent */
	info->time.tsc_timestamp = base;
	info->time.system_time = 0;
	info->time.tsc_to_system_mul = mul;
	info->time.tsc_shift = shift;
}

void guest_time_update(struct vcpu_info *info)
{
	u32 version = info->time.version | 1;
	u64 base;
	u32 mul;
	s8 shift;

	clock_guest_params(&base, &mul, &shift);
	WRITE_ONCE(info->time.version, version);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	WRITE_ONCE(info->time.tsc_timestamp, base);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	WRITE_ONCE(info->time.version, version + 1);
}

void guest_wallclock_set(struct domain *d, u64 wall_at_zero_ns)
{
	struct shared_info *s = d->shared_info;
	u64 seconds = wall_at_zero_ns / 1000000000UL;

	WRITE_ONCE(s->wc_version, s->wc_version | 1);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	s->wc_sec = (u32)seconds;
	s->wc_sec_hi = (u32)(seconds >> 32);
	s->wc_nsec = (u32)(wall_at_zero_ns % 1000000000UL);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	WRITE_ONCE(s->wc_version, s->wc_version + 1);
}

u64 clock_wall_ns_at_boot(void)
{
	return wall_at_zero ? wall_at_zero : clock_boot_wall_ns();
}

void clock_wall_set_at_boot(u64 wall_at_zero_ns)
{
	wall_at_zero = wall_at_zero_ns;
}
