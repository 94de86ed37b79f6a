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

struct block_state;
struct event_table;
struct grant_table;
struct net_state;
struct xeno_meter_page;

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
	DOMAIN_BUILDING, /* until it is first unpaused */
	DOMAIN_RUNNING,
	DOMAIN_SHUT_DOWN, /* shutdown_code says why; vCPUs stopped */
	DOMAIN_DYING,     /* being taken apart */
};

struct domain {
	u16 id;
	bool privileged;         /* Domain 0: control operations allowed */
	enum domain_state state; /* atomic */
	bool shut_down;          /* it ended before it was DYING */
	u32 shutdown_code;       /* SHUTDOWN_* of xen/sched.h */
	u32 pause_count;         /* no vCPU runs while not 0; atomic */
	struct frame_owner owner;
	struct spinlock lock;
	u32 vcpu_count; /* ids 0..count-1 exist; grows while BUILDING */
	struct vcpu *vcpus[DOMAIN_MAX_VCPUS];
	struct shared_info *shared_info; /* FRAME_FLAG_SHARED, direct map */
	struct event_table *events;
	struct grant_table *grants;
	/* Of the rooms of these names; NULL: none yet. */
	struct block_state *block;
	struct net_state *net;
	struct xeno_meter_page *meter_page; /* hv/domain_meter.h */
	struct sched_group group;           /* its vCPUs' */
	u32 vm_assist;                      /* VMASST_TYPE_* bits enabled */
	u64 log_tokens, log_refilled_ns;    /* guest_log's rate limit */
	u64 created_ns;
	bool crashing; /* somebody gives the reason; atomic */
	char crash_reason[80];
	u8 handle[16];
	/* The control room's, under its lock. */
	u32 max_vcpus; /* what vcpu_count may grow to */
	bool pausing;  /* a pause waits for the vCPUs to stop */
	bool gone;     /* domain_find finds it no more */
	bool zombie;   /* waits for others to let go of it */
	u8 exit_stage; /* how far tear-down is */
	u8 exit_vcpu;
	u64 exit_grace;
	struct domain *next_zombie;
};

/* A struct domain has a page. The rest of it is the event room's and, at its
 * end, the grant room's. */
#define DOMAIN_GRANT_BYTES 1848UL
#define DOMAIN_EVENT_BYTES                                                     \
	(PAGE_SIZE - sizeof(struct domain) - DOMAIN_GRANT_BYTES)

static inline void *domain_event_part(struct domain *d)
{
	return d + 1;
}

static inline void *domain_grant_part(struct domain *d)
{
	return (char *)d + PAGE_SIZE - DOMAIN_GRANT_BYTES;
}

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

/* A domain in state DOMAIN_BUILDING with its first vCPUs (all down), shared
 * info, event and grant state. -ENOMEM, -EINVAL (vCPUs), -EEXIST; then nothing
 * is left of it. */
int domain_create(u16 id, bool privileged, unsigned int vcpus, u64 max_pages,
		  struct domain **out) MUST_CHECK;
/* One more, down. -ENOMEM, -EINVAL: DOMAIN_MAX_VCPUS reached. */
int domain_add_vcpu(struct domain *d) MUST_CHECK;
/* Domain 0's vCPU 0, which boot has built, begins to run. */
void domain_start(struct domain *d);
/* The last step of tear-down: its vCPUs, which no CPU holds any more, and with
 * them what creation made. -EBUSY: somebody still maps its shared info or
 * grant table; call again. After 0 the domain is no more. */
int domain_free(struct domain *d) MUST_CHECK;

/* DOMID_SELF is the current domain; NULL: no such domain. Borrowed: valid
 * until this CPU leaves the hypervisor. */
struct domain *domain_find(u16 domid);

/*
 * A grace period is over when every other CPU has left the hypervisor (or
 * idled) since it began: nobody has borrowed what was unlinked before.
 * Any CPU; the caller itself must have borrowed nothing.
 */
u64 domain_grace_begin(void);
bool domain_grace_over(u64 grace) MUST_CHECK;

/* Pausing nests. The vCPUs leave their CPUs soon: domain_stopped says when
 * none is on one. An unpause that ends the last pause lets them run; of a
 * DOMAIN_BUILDING one it makes a DOMAIN_RUNNING one. */
void domain_pause(struct domain *d);
void domain_unpause(struct domain *d);
/* A domain that ended, but not by a crash, goes on. -EINVAL: it did not. */
int domain_resume(struct domain *d) MUST_CHECK;
bool domain_stopped(const struct domain *d) MUST_CHECK;

/* VIRQ_DOM_EXC to Domain 0: a domain ended, or is gone. From anywhere: it is
 * raised on this CPU's way out. */
void domain_exception_soon(void);
/* fn is called on a CPU's way out, with no lock held and nothing borrowed,
 * after frame_owner_freed. */
void domain_set_reaper(void (*fn)(void));
/* The way out's side of both. */
bool domain_chores_due(void);
void domain_chores(void);

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
