/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains and vCPUs: the objects that the rooms above hang their state on.
 * A domain's other rooms' state is reached by forward-declared pointers that
 * only their own room dereferences.
 */
#ifndef HV_DOMAIN_H
#define HV_DOMAIN_H

#include <hv/frame.h>
#include <hv/lock.h>
#include <hv/meter.h>
#include <hv/sched.h>
#include <hv/timer.h>
#include <hv/types.h>

#include <arch/vcpu.h>

#include <xen/vcpu.h>
#include <xen/xen.h>

#define DOMAIN_MAX_VCPUS 32
#define DOMAIN_MAX 1024

struct event_table;
struct grant_table;
struct net_state;

/* One registered guest area that the hypervisor writes at will: its frames
 * hold a writable reference, so they cannot become page tables meanwhile. */
struct guest_area {
	struct frame *frame[2]; /* second: when it crosses a page */
	u16 offset;             /* in the first frame */
	u16 size;               /* bytes; 0: not registered */
};

struct vcpu {
	struct arch_vcpu arch; /* first: entry.S and the TSS point into it */
	struct domain *domain;
	u32 id;
	/* Why it does not run, all under domain->lock unless said otherwise. */
	bool initialised;
	bool initialising; /* VCPUOP_initialise is at work */
	bool down;         /* VCPUOP_down, or never brought up */
	bool blocked;      /* SCHEDOP_block, or poll; cleared by vcpu_kick */
	u32 pause_count;   /* control operations; atomic */
	u32 poll_port;     /* SCHEDOP_poll; see event_poll_begin */
	struct sched_unit sched;
	struct meter_account meter;
	struct timer singleshot, periodic, poll_timer, virtual_timer;
	u64 period_ns;
	/* Time: runstate.c, under runstate_lock. */
	struct spinlock runstate_lock;
	struct guest_area runstate_area;
	u32 runstate; /* RUNSTATE_* */
	u64 runstate_since_ns;
	u64 runstate_ns[4];   /* closed time in each */
	bool virtual_armed;   /* virtual_timer waits for running time */
	u64 virtual_left_ns;  /* of running, counted from ... */
	u64 virtual_since_ns; /* ... here while it runs */
	u16 virq_port[24];    /* 0: not bound; under event lock */
};

enum domain_state {
	DOMAIN_BUILDING,
	DOMAIN_RUNNING,
	DOMAIN_SHUT_DOWN, /* shutdown_code says why; vCPUs stopped */
	DOMAIN_DYING,     /* being taken apart */
};

struct domain {
	u16 id;
	bool privileged;         /* Domain 0: control operations allowed */
	enum domain_state state; /* under lock */
	u32 shutdown_code;       /* SHUTDOWN_* of xen/sched.h */
	struct frame_owner owner;
	struct spinlock lock;
	u32 vcpu_count; /* ids 0..count-1 exist; fixed at creation */
	struct vcpu *vcpus[DOMAIN_MAX_VCPUS];
	struct shared_info *shared_info; /* FRAME_FLAG_SHARED, direct map */
	struct event_table *events;
	struct grant_table *grants;
	struct net_state *net;           /* NULL: no VIF */
	u32 vm_assist;                   /* VMASST_TYPE_* bits enabled */
	u64 log_tokens, log_refilled_ns; /* guest_log's rate limit */
	char crash_reason[80];
	char handle[16];
};

extern struct domain *domain_table[DOMAIN_MAX]; /* by id; NULL: none */
extern struct domain *domain0;

static inline struct vcpu *current_vcpu(void)
{
	return arch_current_vcpu();
}

static inline struct domain *current_domain(void)
{
	return current_vcpu()->domain;
}

/* A domain in state DOMAIN_BUILDING with all its vCPUs (down, but for 0,
 * which starts when the domain is started), shared info, event and grant
 * state. -ENOMEM, -EINVAL (vCPUs), -EEXIST. */
int domain_create(u16 id, bool privileged, unsigned int vcpus, u64 max_pages,
		  struct domain **out) MUST_CHECK;
void domain_start(struct domain *d);

/* DOMID_SELF is the current domain; NULL: no such domain. Borrowed. */
struct domain *domain_find(u16 domid);

/* An event became deliverable for v (or it must look again): unblocks it, or
 * interrupts the CPU where it runs guest code. Any CPU, any lock above
 * RANK_RUNQUEUE. */
void vcpu_kick(struct vcpu *v);

/* The current vCPU gives up its CPU at the end of this hypercall until
 * vcpu_kick. The caller re-checks its condition after setting. */
void vcpu_block_current(void);
void vcpu_yield_current(void);

/* Ends the whole domain, for a reason printed and kept; never fails. From any
 * CPU; the current vCPU stops at the end of this entry. */
void domain_crash(struct domain *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
void domain_shutdown(struct domain *d, u32 code);

/* Rate-limited message that a guest can cause. */
void guest_log(struct domain *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Tear-down: vcpu_info goes back into shared_info, its frame is dropped. */
void vcpu_info_release(struct vcpu *v);

/* Guest areas: maps [va, va+size) of the current address space for the
 * hypervisor's writes; -EFAULT, -EINVAL, -EBUSY. Replaces an old one. */
int guest_area_map(struct guest_area *a, struct domain *d, u64 va, u16 size)
	MUST_CHECK;
void guest_area_unmap(struct guest_area *a);
void guest_area_write(const struct guest_area *a, u16 offset, const void *data,
		      u16 size);

#endif
