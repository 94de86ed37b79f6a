/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spin locks. The hypervisor runs with interrupts off, so one kind suffices.
 * Locks nest downwards in the order of enum lock_rank (smaller rank first);
 * debug builds check it. While spinning a CPU serves TLB flush requests of
 * others, so a lock holder may wait for a flush.
 */
#ifndef HV_LOCK_H
#define HV_LOCK_H

#include <hv/types.h>

enum lock_rank {
	RANK_CONTROL = 10, /* one control operation at a time */
	RANK_DOMAIN_LIST = 20,
	RANK_NET_READ = 22,   /* a CPU that looks things up in the switch */
	RANK_NET_TX = 24,     /* what a VIF sends */
	RANK_NET_RX = 26,     /* what a VIF gets; one at a time */
	RANK_NET_FLOW = 28,   /* a VIF's redirected flows */
	RANK_BLOCK = 24,      /* VBDs of all domains */
	RANK_DISK_QUEUE = 26, /* whose turn it is at a disk */
	RANK_GRANT = 30,      /* a domain's grant table */
	RANK_EVENT = 40,      /* a domain's event channels */
	RANK_MMU = 50,        /* a domain's page tables and types */
	RANK_FRAME_TYPE = 55, /* changes of type that need no mmu_lock */
	RANK_OWNER = 60,      /* a domain's list of frames */
	RANK_RUNQUEUE = 70,
	RANK_RUNSTATE = 75,  /* a vCPU's runstate times */
	RANK_TIMER = 80,     /* one CPU's timer heap */
	RANK_DEVICE = 85,    /* one device and its queues */
	RANK_FRAMES = 90,    /* the free-frame allocator */
	RANK_VBD_METER = 93, /* what a VBD's queues count together */
	RANK_METER = 95,     /* list of metered accounts */
	RANK_WORK = 97,      /* one CPU's queue of deferred work */
	RANK_LOG = 100,
};

struct spinlock {
	u32 locked;
	u16 rank;
	u16 holder; /* CPU number plus one; diagnostics only */
};

#define SPINLOCK_INIT(r)                                                       \
	{                                                                      \
		0, (r), 0                                                      \
	}

static inline void spin_init(struct spinlock *l, enum lock_rank rank)
{
	*l = (struct spinlock)SPINLOCK_INIT((u16)rank);
}

/* The slow part: spins, serving flush requests, until the lock is taken. */
void spin_lock_contended(struct spinlock *l);

#ifdef XENO_DEBUG
void spin_lock(struct spinlock *l);
void spin_unlock(struct spinlock *l);
#else
static inline void spin_lock(struct spinlock *l)
{
	if (unlikely(__atomic_exchange_n(&l->locked, 1, __ATOMIC_ACQUIRE)))
		spin_lock_contended(l);
}

static inline void spin_unlock(struct spinlock *l)
{
	__atomic_store_n(&l->locked, 0, __ATOMIC_RELEASE);
}
#endif

/* Two locks of equal rank, in the order of their addresses. */
static inline void spin_lock_both(struct spinlock *a, struct spinlock *b)
{
	if (a == b) {
		spin_lock(a);
	} else if (a < b) {
		spin_lock(a);
		spin_lock(b);
	} else {
		spin_lock(b);
		spin_lock(a);
	}
}

static inline void spin_unlock_both(struct spinlock *a, struct spinlock *b)
{
	spin_unlock(a);
	if (a != b)
		spin_unlock(b);
}

#endif
