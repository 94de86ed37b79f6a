/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call chains by frame pointers (the build keeps them), named by a symbol
 * table that the build links in after a first link (symbols.S, generated).
 */
#include <hv/log.h>

#include <arch/backtrace.h>
#include <arch/internal.h>
#include <arch/regs.h>
#include <arch/x86.h>

#define DEPTH 24

struct symbol {
	u64 address;
	const char *name;
};

extern const struct symbol symbol_table[];
extern const u64 symbol_count;
extern char image_start[], image_text_end[];

static void print_address(u64 rip)
{
	const struct symbol *best = NULL;

	for (u64 i = 0; i < symbol_count && symbol_table[i].address <= rip; i++)
		best = &symbol_table[i];
	if (best)
		log_error("  %lx %s+0x%lx", (unsigned long)rip, best->name,
			  (unsigned long)(rip - best->address));
	else
		log_error("  %lx", (unsigned long)rip);
}

void print_registers(const struct guest_regs *r)
{
	log_error("rip %016lx cs %04lx rflags %08lx rsp %016lx ss %04lx",
		  r->rip, r->cs, r->rflags, r->rsp, r->ss);
	log_error("rax %016lx rbx %016lx rcx %016lx rdx %016lx", r->rax, r->rbx,
		  r->rcx, r->rdx);
	log_error("rsi %016lx rdi %016lx rbp %016lx r8  %016lx", r->rsi, r->rdi,
		  r->rbp, r->r8);
	log_error("r9  %016lx r10 %016lx r11 %016lx r12 %016lx", r->r9, r->r10,
		  r->r11, r->r12);
	log_error("r13 %016lx r14 %016lx r15 %016lx cr3 %016lx", r->r13, r->r14,
		  r->r15, read_cr3());
}

void backtrace(const struct guest_regs *regs)
{
	u64 rbp, top = this_cpu()->stack_top;

	if (regs) {
		print_address(regs->rip);
		rbp = regs->rbp;
	} else {
		rbp = (u64)__builtin_frame_address(0);
	}
	for (unsigned int i = 0; i < DEPTH; i++) {
		const u64 *frame = (const u64 *)rbp;

		/* Only frames on this CPU's stack are worth a look. */
		if (rbp & 7 || rbp < top - 16384 || rbp > top - 16)
			return;
		if (frame[1] < (u64)image_start ||
		    frame[1] >= (u64)image_text_end)
			return;
		print_address(frame[1]);
		rbp = frame[0];
	}
}

static u32 stopping;
static u64 nmi_count;

void stop_other_cpus(void)
{
	__atomic_store_n(&stopping, 1, __ATOMIC_SEQ_CST);
	local_apic_nmi_others();
}

void nmi_received(void)
{
	if (__atomic_load_n(&stopping, __ATOMIC_SEQ_CST))
		stop_this_cpu();
	/* What it interrupted may hold the console's lock: told later. */
	__atomic_add_fetch(&nmi_count, 1, __ATOMIC_RELAXED);
	cpu_kick(cpu_id(), CPU_WORK_NMI);
}

void nmi_report(void)
{
	static u64 reported;
	u64 n = __atomic_load_n(&nmi_count, __ATOMIC_RELAXED);
	u64 last = __atomic_load_n(&reported, __ATOMIC_RELAXED);

	/* At 1, 2, 4...: a broken machine must not fill the console. */
	if (n < 2 * last || n == last ||
	    !__atomic_compare_exchange_n(&reported, &last, n, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	log_warn("%lu NMIs without a reason", (unsigned long)n);
}

void stop_this_cpu(void)
{
	for (;;)
		__asm__ volatile("cli; hlt");
}
