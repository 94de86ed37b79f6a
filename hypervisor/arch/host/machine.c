// SPDX-License-Identifier: Apache-2.0
/*
 * The fake machine of hosted tests: see <arch/host_machine.h>. TLB flushes take
 * effect at once, whichever CPU they are for.
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hv/errno.h>
#include <hv/frame.h>
#include <hv/guest_access.h>
#include <hv/lock.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/clock.h>
#include <arch/counters.h>
#include <arch/cpu.h>
#include <arch/host_machine.h>
#include <arch/pagetable.h>
#include <arch/tlb.h>
#include <arch/vcpu.h>

/* ---- memory and CPUs ---- */

u64 *host_m2p;
struct frame *host_frame_table;
u8 *host_memory;
u64 frame_max_mfn;
u64 pte_allowed_nx = PTE_NX;
unsigned int cpu_count = 1;
_Thread_local unsigned int host_cpu;
_Thread_local struct vcpu *host_current_vcpu;
u64 host_kicked;
struct cpu_counters host_counters[MAX_CPUS];

/* What pagetable_fill_hv_slots writes: recognizable, and not present, so that
 * no walk of a test leaves the fake memory. */
#define HV_SLOT_PATTERN 0x5a5a5a5a5a5a5a00UL

void host_machine_init(u64 frames, unsigned int cpus)
{
	frame_max_mfn = frames;
	cpu_count = cpus;
	host_frame_table = calloc(frames, sizeof(*host_frame_table));
	host_m2p = calloc(frames, sizeof(*host_m2p));
	host_memory = aligned_alloc(PAGE_SIZE, frames * PAGE_SIZE);
	if (!host_frame_table || !host_m2p || !host_memory)
		panic("no memory for the fake machine");
	memset(host_memory, 0, frames * PAGE_SIZE);
	host_cpu = 0;
	host_kicked = 0;
	host_flushes = host_page_flushes = 0;
	host_on_flush = NULL;
}

void host_machine_exit(void)
{
	if (host_locks_held)
		panic("%u locks still held", host_locks_held);
	free(host_frame_table);
	free(host_m2p);
	free(host_memory);
	host_frame_table = NULL;
	host_m2p = NULL;
	host_memory = NULL;
	host_guest_window(0, NULL, 0);
}

void cpu_kick(unsigned int cpu, u32 work)
{
	(void)work;
	__atomic_fetch_or(&host_kicked, 1UL << cpu, __ATOMIC_SEQ_CST);
}

void pagetable_fill_hv_slots(u64 l4_mfn)
{
	u64 *table = mfn_to_virt(l4_mfn);

	for (unsigned int i = HV_L4_FIRST; i <= HV_L4_LAST; i++)
		table[i] = HV_SLOT_PATTERN;
}

/* ---- TLBs ---- */

void (*host_on_flush)(unsigned int cpu);
u64 host_flushes, host_page_flushes;

static pthread_mutex_t tlb_mutex = PTHREAD_MUTEX_INITIALIZER;
u64 tlb_clock;
static u64 tlb_flushed[MAX_CPUS];

void host_tlb_clock_set(u64 now)
{
	tlb_clock = now;
	for (unsigned int i = 0; i < MAX_CPUS; i++)
		tlb_flushed[i] = now;
}

static void flush_cpu(unsigned int cpu)
{
	host_flushes++;
	if (host_on_flush)
		host_on_flush(cpu);
	__atomic_store_n(&tlb_flushed[cpu], tlb_clock_tick(), __ATOMIC_SEQ_CST);
}

/* Flushes are done by who asks for them. */
void tlb_serve_requests(void)
{
}

void tlb_flush_mask(u64 cpu_mask)
{
	pthread_mutex_lock(&tlb_mutex);
	for (unsigned int i = 0; i < cpu_count; i++)
		if (cpu_mask >> i & 1)
			flush_cpu(i);
	pthread_mutex_unlock(&tlb_mutex);
}

void tlb_flush_since(u64 cpu_mask, u32 stamp)
{
	u64 now = __atomic_load_n(&tlb_clock, __ATOMIC_SEQ_CST);
	u64 need = 0;

	for (unsigned int i = 0; i < cpu_count; i++) {
		u64 flushed =
			__atomic_load_n(&tlb_flushed[i], __ATOMIC_SEQ_CST);

		if ((cpu_mask >> i & 1) && tlb_may_hold(flushed, stamp, now))
			need |= 1UL << i;
	}
	if (need)
		tlb_flush_mask(need);
}

void tlb_flush_page_mask(u64 cpu_mask, u64 va)
{
	(void)va;
	host_page_flushes += (u64)__builtin_popcountl(cpu_mask);
}

void tlb_flush_local(void)
{
	tlb_flush_mask(1UL << host_cpu);
}

void tlb_flush_page_local(u64 va)
{
	tlb_flush_page_mask(1UL << host_cpu, va);
}

/* Nothing is ever left to be asked of this CPU. */
void tlb_serve_requests(void)
{
}

/* ---- locks ---- */

#define LOCKS_MAX 8

_Thread_local unsigned int host_locks_held;

void spin_lock_contended(struct spinlock *l)
{
	while (__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* Otherwise the inline ones of hv/lock.h, which check nothing. */
#ifdef XENO_DEBUG
static _Thread_local struct spinlock *held[LOCKS_MAX];

void spin_lock(struct spinlock *l)
{
	if (host_locks_held && held[host_locks_held - 1]->rank > l->rank)
		panic("lock order: rank %u held, rank %u asked",
		      held[host_locks_held - 1]->rank, l->rank);
	for (unsigned int i = 0; i < host_locks_held; i++)
		if (held[i] == l)
			panic("lock of rank %u taken twice", l->rank);
	if (host_locks_held == LOCKS_MAX)
		panic("too many locks");
	spin_lock_contended(l);
	held[host_locks_held++] = l;
}

void spin_unlock(struct spinlock *l)
{
	unsigned int i = host_locks_held;

	while (i > 0 && held[i - 1] != l)
		i--;
	if (!i)
		panic("lock of rank %u released, not held", l->rank);
	for (; i < host_locks_held; i++)
		held[i - 1] = held[i];
	host_locks_held--;
	__atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE);
}
#endif

/* ---- guest memory ---- */

static u64 window_va, window_bytes;
static u8 *window;

void host_guest_window(u64 va, void *bytes, u64 size_bytes)
{
	window_va = va;
	window = bytes;
	window_bytes = size_bytes;
}

static u8 *guest_bytes(u64 va, size_t size_bytes)
{
	if (va - window_va > window_bytes ||
	    size_bytes > window_bytes - (va - window_va))
		return NULL;
	return window + (va - window_va);
}

int guest_copy_in(void *dst, u64 src_va, size_t size_bytes)
{
	const u8 *src = guest_bytes(src_va, size_bytes);

	if (!src)
		return -EFAULT;
	memcpy(dst, src, size_bytes);
	return 0;
}

int guest_copy_out(u64 dst_va, const void *src, size_t size_bytes)
{
	u8 *dst = guest_bytes(dst_va, size_bytes);

	if (!dst)
		return -EFAULT;
	memcpy(dst, src, size_bytes);
	return 0;
}

/* ---- time, messages ---- */

u64 host_clock_ns, host_clock_programmed_ns, host_clock_step_ns;
int host_log_level = LOG_INFO;

u64 clock_now_ns(void)
{
	if (host_clock_step_ns)
		host_clock_ns += host_clock_step_ns;
	return host_clock_ns;
}

void clock_program(u64 deadline_ns)
{
	host_clock_programmed_ns = deadline_ns;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	va_list ap;

	if ((int)level > host_log_level)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void panic(const char *fmt, ...)
{
	va_list ap;

	fputs("panic: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
