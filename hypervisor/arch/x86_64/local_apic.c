/* SPDX-License-Identifier: Apache-2.0 */
/* The local APIC (Intel SDM vol. 3, ch. 11): interprocessor interrupts and
 * the one-shot timer. */
#include <hv/log.h>

#include <arch/internal.h>
#include <arch/x86.h>

#define REG_ID 0x20
#define REG_TPR 0x80
#define REG_EOI 0xb0
#define REG_SPURIOUS 0xf0
#define REG_ICR_LOW 0x300
#define REG_ICR_HIGH 0x310
#define REG_LVT_TIMER 0x320
#define REG_LVT_LINT0 0x350
#define REG_LVT_LINT1 0x360
#define REG_LVT_ERROR 0x370
#define REG_TIMER_INITIAL 0x380
#define REG_TIMER_CURRENT 0x390
#define REG_TIMER_DIVIDE 0x3e0

#define LVT_MASKED 0x10000
#define ICR_PENDING 0x1000
#define ICR_INIT 0x4500        /* assert, INIT */
#define ICR_STARTUP 0x4600     /* assert, start-up */
#define ICR_FIXED 0x4000       /* assert, fixed */
#define ICR_NMI_OTHERS 0xc4400 /* all but self, NMI */

static volatile u32 *apic;
static u64 timer_khz;

static u32 read_reg(unsigned int reg)
{
	return apic[reg / 4];
}

static void write_reg(unsigned int reg, u32 value)
{
	apic[reg / 4] = value;
}

void local_apic_init(u64 base_maddr)
{
	apic = map_device(base_maddr, PAGE_SIZE);
	local_apic_cpu_init();
	this_cpu()->apic_id = local_apic_id();
}

void local_apic_cpu_init(void)
{
	wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 0x800);
	write_reg(REG_TPR, 0);
	write_reg(REG_LVT_LINT0, LVT_MASKED);
	write_reg(REG_LVT_LINT1, 0x400); /* NMI */
	write_reg(REG_LVT_ERROR, VEC_APIC_ERROR);
	write_reg(REG_TIMER_DIVIDE, 3); /* by 16 */
	write_reg(REG_LVT_TIMER, VEC_TIMER);
	write_reg(REG_TIMER_INITIAL, 0);
	write_reg(REG_SPURIOUS, 0x100 | VEC_SPURIOUS);
}

u32 local_apic_id(void)
{
	return read_reg(REG_ID) >> 24;
}

void local_apic_eoi(void)
{
	write_reg(REG_EOI, 0);
}

static void send(u32 apic_id, u32 low)
{
	while (read_reg(REG_ICR_LOW) & ICR_PENDING)
		cpu_relax();
	write_reg(REG_ICR_HIGH, apic_id << 24);
	write_reg(REG_ICR_LOW, low);
}

void local_apic_ipi(u32 apic_id, u8 vector)
{
	send(apic_id, ICR_FIXED | vector);
}

void local_apic_send_init(u32 apic_id)
{
	send(apic_id, ICR_INIT);
}

void local_apic_send_startup(u32 apic_id, u8 page)
{
	send(apic_id, ICR_STARTUP | page);
}

/* For panic: may run before the APIC is mapped. */
void local_apic_nmi_others(void)
{
	if (apic)
		write_reg(REG_ICR_LOW, ICR_NMI_OTHERS);
}

void local_apic_timer_ticks(u32 ticks)
{
	write_reg(REG_TIMER_INITIAL, ticks);
}

u32 local_apic_timer_now(void)
{
	return read_reg(REG_TIMER_CURRENT);
}

u64 local_apic_timer_khz(void)
{
	return timer_khz;
}

void local_apic_set_timer_khz(u64 khz)
{
	timer_khz = khz;
}
