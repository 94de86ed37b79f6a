/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System time from the time-stamp counter, by the very formula that guests
 * use on their vcpu_time_info, so both agree to the nanosecond for ever:
 * ns = (((tsc - base) << shift) * mul) >> 32. The counter's rate comes from
 * CPUID leaf 15h, or is measured against the 8254 timer; the local APIC
 * timer's against the same interval.
 */
#include <hv/log.h>

#include <arch/clock.h>
#include <arch/internal.h>
#include <arch/x86.h>

#define PIT_HZ 1193182UL
#define CALIBRATE_TICKS 23864U /* 20 ms; the counter holds 55 ms */
#define CALIBRATE_TRIES 20
#define CALIBRATE_READINGS 16
#define CALIBRATE_ERROR_PPM 50

static u64 tsc_base, tsc_khz, wall_at_boot_ns;
static u32 tsc_mul;
static s8 tsc_shift;

u64 clock_now_ns(void)
{
	u64 delta = rdtsc() - tsc_base;

	delta = tsc_shift >= 0 ? delta << tsc_shift : delta >> -tsc_shift;
	return (u64)(((unsigned __int128)delta * tsc_mul) >> 32);
}

void clock_skip(u64 ticks)
{
	WRITE_ONCE(tsc_base, tsc_base + ticks);
}

u64 clock_ticks_to_us(u64 ticks)
{
	return ticks * 1000 / tsc_khz;
}

void clock_guest_params(u64 *base, u32 *mul, s8 *shift)
{
	*base = tsc_base;
	*mul = tsc_mul;
	*shift = tsc_shift;
}

u64 clock_tsc_khz(void)
{
	return tsc_khz;
}

u64 clock_boot_wall_ns(void)
{
	return wall_at_boot_ns;
}

/* The three clocks read as if at one moment: the PIT's and the APIC timer's
 * count were taken within width_ticks of the TSC. */
struct reading {
	u64 tsc, width_ticks;
	u32 pit, apic;
};

/* The narrowest of several readings: one in which we lost the CPU, as happens
 * all the time in an emulated machine, is wide. */
static struct reading read_clocks(void)
{
	struct reading best = { .width_ticks = ~0UL };

	for (unsigned int i = 0; i < CALIBRATE_READINGS; i++) {
		u64 before = rdtsc(), after;
		u32 pit, apic;

		outb(0x43, 0x80); /* latch channel 2 */
		apic = local_apic_timer_now();
		after = rdtsc();
		pit = inb(0x42);
		pit |= (u32)inb(0x42) << 8;
		if (after - before >= best.width_ticks)
			continue;
		best = (struct reading){ .tsc = before + (after - before) / 2,
					 .width_ticks = after - before,
					 .pit = pit,
					 .apic = apic };
	}
	return best;
}

/* Two readings, some 20 ms apart or more, during one run of PIT channel 2
 * (8254 data sheet: mode 0, output rises at terminal count). False if the run
 * was over before the second, so that the count tells nothing. */
static bool measure(struct reading *first, struct reading *second)
{
	outb(0x61, (u8)((inb(0x61) & ~2) | 1)); /* gate on, speaker off */
	outb(0x43, 0xb0);                       /* channel 2, mode 0 */
	outb(0x42, 0xff);
	outb(0x42, 0xff);
	local_apic_timer_ticks(0xffffffff);
	*first = read_clocks();
	do {
		*second = read_clocks();
	} while (first->pit - second->pit < CALIBRATE_TICKS &&
		 !(inb(0x61) & 0x20));
	local_apic_timer_ticks(0);
	return first->pit > second->pit && !(inb(0x61) & 0x20);
}

/* Losing the CPU between two readings is harmless, as all clocks go on; what
 * counts is how narrow the readings are against the time between them. */
static void calibrate(void)
{
	u64 best_ppm = ~0UL;

	for (unsigned int i = 0;
	     i < CALIBRATE_TRIES && best_ppm > CALIBRATE_ERROR_PPM; i++) {
		struct reading first, second;
		u64 tsc, pit, ppm;

		if (!measure(&first, &second))
			continue;
		tsc = second.tsc - first.tsc;
		pit = first.pit - second.pit;
		ppm = (first.width_ticks + second.width_ticks) * 1000000 / tsc;
		if (ppm >= best_ppm)
			continue;
		best_ppm = ppm;
		tsc_khz = tsc * PIT_HZ / pit / 1000;
		local_apic_set_timer_khz((u64)(first.apic - second.apic) *
					 PIT_HZ / pit / 1000);
	}
}

static void use_cpuid_rate(void)
{
	u32 max, a, b, c, d;

	cpuid(0, 0, &max, &b, &c, &d);
	if (max < 0x15)
		return;
	cpuid(0x15, 0, &a, &b, &c, &d);
	if (a && b && c)
		tsc_khz = (u64)c * b / a / 1000;
}

/* mul in [2^31, 2^32), as guests' arithmetic expects. */
static void choose_scale(void)
{
	u64 hz = tsc_khz * 1000, ns = 1000000000;
	s8 shift = 0;

	while (hz > ns * 2) {
		hz >>= 1;
		shift--;
	}
	while (hz <= ns) {
		hz <<= 1;
		shift++;
	}
	tsc_mul = (u32)((ns << 32) / hz);
	tsc_shift = shift;
}

/* ---- wall clock: MC146818 ---- */

static u8 cmos(u8 reg)
{
	outb(0x70, reg);
	return inb(0x71);
}

static u32 cmos_number(u8 reg, bool binary)
{
	u8 v = cmos(reg);

	return binary ? v : (u32)(v >> 4) * 10 + (v & 15);
}

static u64 days_since_1970(u32 year, u32 month, u32 day)
{
	/* March-based years make the leap day the last one. */
	u64 y = month > 2 ? year : year - 1;
	u64 m = month > 2 ? month - 3 : month + 9;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day -
	       1 - 719468;
}

static void read_wall_clock(void)
{
	bool binary = cmos(0x0b) & 4;
	u32 s, s2, min, h, day, month, year;

	for (unsigned int tries = 0; tries < 10000 && (cmos(0x0a) & 0x80);
	     tries++)
		;
	do {
		s = cmos_number(0, binary);
		min = cmos_number(2, binary);
		h = cmos_number(4, binary);
		day = cmos_number(7, binary);
		month = cmos_number(8, binary);
		year = 2000 + cmos_number(9, binary);
		s2 = cmos_number(0, binary);
	} while (s != s2);
	wall_at_boot_ns = (days_since_1970(year, month, day) * 86400 +
			   h * 3600 + min * 60 + s) *
				  1000000000UL -
			  clock_now_ns();
}

void clock_init(void)
{
	calibrate();
	use_cpuid_rate();
	if (tsc_khz < 1000 || !local_apic_timer_khz())
		panic("boot error: clock: TSC at %lu kHz, APIC timer at %lu kHz: not usable",
		      (unsigned long)tsc_khz,
		      (unsigned long)local_apic_timer_khz());
	choose_scale();
	tsc_base = rdtsc();
	read_wall_clock();
}

void clock_program(u64 deadline_ns)
{
	u64 now, ticks;

	if (deadline_ns == ~0UL) {
		local_apic_timer_ticks(0);
		return;
	}
	now = clock_now_ns();
	if (deadline_ns <= now) {
		local_apic_timer_ticks(1);
		return;
	}
	/* At most a second at a time: a long wait is simply asked again. */
	ticks = MIN(deadline_ns - now, 1000000000UL) * local_apic_timer_khz() /
			1000000 +
		1;
	local_apic_timer_ticks((u32)MIN(ticks, 0xffffffffUL));
}
