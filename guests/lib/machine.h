/* SPDX-License-Identifier: Apache-2.0 */
/*
 * machine.h - time, events, grants, vCPUs and emulated instructions.
 */
#ifndef XT_MACHINE_H
#define XT_MACHINE_H

/* time.c */
u64 rdtsc(void);
/* System time of this vCPU by its vcpu_time_info. */
u64 now_ns(void);
/* Spins until the condition holds; false when the time is over. */
#define spin_until(cond, limit_ns)                                             \
	({                                                                     \
		u64 end_ = now_ns() + (limit_ns);                              \
		bool ok_;                                                      \
		while (!(ok_ = (cond)) && now_ns() < end_)                     \
			__asm__ volatile("pause" ::: "memory");                \
		ok_;                                                           \
	})

/* event.c: two-level event channels. */
#define MAX_PORTS 4096
extern volatile u32 event_count[MAX_PORTS]; /* upcalls seen per port */
void event_upcall(void);
bool event_pending(u32 port);
bool event_masked(u32 port);
void mask_event(u32 port);
void unmask_event(u32 port); /* with a re-raise when it was pending */
void clear_event(u32 port);
void events_on(void); /* opens upcalls; pending ones come at once */
void events_off(void);
long send_event(u32 port);
long close_event(u32 port);
/* Negative errno or the port. */
long bind_virq(u32 virq, u32 vcpu);
long bind_ipi(u32 vcpu);
long alloc_unbound(u32 domid, u32 remote);
long bind_interdomain(u32 domid, u32 remote_port);
/* SCHEDOP_poll on one port until an absolute time (0: for ever). */
long poll_port(u32 port, u64 deadline_ns);
long set_singleshot(u64 deadline_ns);

/* grant.c: version 1; the guest grants to itself. */
struct grant_entry_v1 *grant_table(void);
void grant_page(u32 ref, const void *page, u16 flags);
/* GNTST status of one map or unmap by host address. */
int map_grant(u32 ref, u64 host_addr, u32 flags, u32 *handle);
int unmap_grant(u32 handle, u64 host_addr);

/* smp.c */
long init_vcpu(unsigned int id, void (*fn)(void));
/* Initialises and starts a vCPU in fn(); fails the test when refused. */
void start_vcpu(unsigned int id, void (*fn)(void));
struct vcpu_guest_context *vcpu_context(unsigned int id, void (*fn)(void));
unsigned int vcpus_available(void);
void rendezvous(unsigned int parties);

/* CPUID through the forced emulation prefix, and as the CPU gives it. */
struct cpuid {
	u32 eax, ebx, ecx, edx;
};

static inline struct cpuid xen_cpuid(u32 leaf, u32 sub)
{
	struct cpuid r;

	__asm__ volatile("ud2; .ascii \"xen\"; cpuid"
			 : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
			 : "0"(leaf), "2"(sub));
	return r;
}

struct fault *probe_rdmsr(u32 msr, u64 *value);
struct fault *probe_wrmsr(u32 msr, u64 value);

#endif /* XT_MACHINE_H */
