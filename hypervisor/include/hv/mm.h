/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory: allocation of frames, references and types, guests' page tables.
 * Who may call: boot, domain, grant, hypercall, control; nothing below.
 * Lock order: mmu_lock of the table's owner, then frame_owner.lock, then the
 * allocator's. Errors are negative errno.
 */
#ifndef HV_MM_H
#define HV_MM_H

#include <hv/frame.h>
#include <hv/types.h>

/* ---- frame_alloc.c: buddy allocator of free frames ---- */

/* Gives [start_mfn, end_mfn) of usable, unowned RAM to the allocator. Boot
 * only; the frame table entries must exist. Contents need no scrubbing: every
 * frame is zeroed when it is handed out. */
void frame_alloc_add(u64 start_mfn, u64 end_mfn);

/* 2^order contiguous, zeroed frames owned by OWNER_HV with one general
 * reference each, or NULL. order <= FRAME_ORDER_MAX. */
#define FRAME_ORDER_MAX 18
struct frame *frame_alloc(unsigned int order) MUST_CHECK;
/* The same, below the machine address limit (bytes, a power of two). */
struct frame *frame_alloc_below(unsigned int order, u64 limit) MUST_CHECK;
/* The frames must have lost all references but the one of frame_alloc. */
void frame_free(struct frame *f, unsigned int order);
u64 frame_free_count(void);  /* frames */
u64 frame_total_count(void); /* frames ever added */

/* Hypervisor state charged to a domain: one zeroed frame, or NULL when none is
 * left or the owner is dying; counted in owner->state_pages. */
void *state_page_alloc(struct frame_owner *owner) MUST_CHECK;
void state_page_free(struct frame_owner *owner, void *page);

/* frame_report.c: prints how many frames are free, owned, lost. */
void frames_print(void);

/* ---- frame_owner.c: which frames a domain owns ---- */

void frame_owner_init(struct frame_owner *o, u16 id, u64 max_pages);
/* Gives one zeroed frame to o (FRAME_ALLOCATED, one reference): -ENOMEM when
 * none is free or o is at max_pages, -EINVAL when dying. A FRAME_FLAG_SHARED
 * frame counts in state_pages, not in pages. */
int frame_owner_alloc(struct frame_owner *o, u8 flags, struct frame **out)
	MUST_CHECK;
/* The builder's bulk form: 2^order contiguous frames, all or nothing. */
int frame_owner_alloc_order(struct frame_owner *o, unsigned int order,
			    struct frame **out) MUST_CHECK;
/* The same, below the machine address limit (0: anywhere). */
int frame_owner_alloc_below(struct frame_owner *o, unsigned int order,
			    u64 limit, struct frame **out) MUST_CHECK;
/* The owner with this id, or NULL; ids of domains only. */
struct frame_owner *frame_owner_find(u16 id);
/* Takes the allocation reference back; the frame returns to the allocator
 * when the last reference goes. -EINVAL: not o's, shared, or not allocated;
 * -EBUSY: pinned or still used (so nothing changed). */
int frame_owner_release(struct frame_owner *o, struct frame *f) MUST_CHECK;
/* Frees a FRAME_FLAG_SHARED frame; -EBUSY while the guest still maps it. */
int frame_owner_release_shared(struct frame_owner *o, struct frame *f);
/* The same at tear-down: it is freed when the last mapping of it goes, and
 * counts in o->state_pages until then. */
void frame_owner_abandon_shared(struct frame_owner *o, struct frame *f);
/* Nothing is owned any more, and nobody looks for o: its id is free. */
void frame_owner_exit(struct frame_owner *o);
/* Something that kept a dying owner is gone: whoever waits for that looks
 * again. Set from anywhere, with this CPU's way out asked for. */
extern u32 frame_owners_freed;
void frame_owner_freed(void);
/* Tear-down of everything o owns: unpins and drops the allocation of every
 * frame; -ERESTART when more is left (at most `budget` frames per call),
 * -EBUSY when others still hold references, 0 when o->pages is 0. */
int frame_owner_destroy(struct frame_owner *o, unsigned int budget);
/* Exchange of frames, all or nothing: steal takes f out of o (errors as
 * release) without freeing it: owned by the hypervisor, one reference,
 * contents, type and M2P entry kept. give hands such a frame, or one of
 * frame_alloc, to o whatever its max_pages (the caller stole as many before)
 * and cannot fail; the caller makes sure that o stays. */
int frame_owner_steal(struct frame_owner *o, struct frame *f) MUST_CHECK;
void frame_owner_give(struct frame_owner *o, struct frame *f);

/* ---- frame_ref.c: references and types ---- */

/* One general reference on a frame that owner_id owns; false: not its frame,
 * free, or counts would overflow. */
bool frame_get(struct frame *f, u16 owner_id) MUST_CHECK;
void frame_put(struct frame *f);
/* General plus FRAME_WRITABLE (or FRAME_SEGDESC, whose contents are checked
 * at the transition) reference in one step. -EINVAL: not its frame;
 * -EBUSY: the frame has another type. */
int frame_get_writable(struct frame *f, u16 owner_id) MUST_CHECK;
void frame_put_writable(struct frame *f);
int frame_get_segdesc(struct frame_owner *o, struct frame *f) MUST_CHECK;
void frame_put_segdesc(struct frame *f);
/* The same for one of o's shared frames, whatever it contains: as long as it
 * is held nobody can map the frame writable. Dropped by frame_put_segdesc. */
int frame_get_readonly(struct frame_owner *o, struct frame *f) MUST_CHECK;
/* General plus page-table type reference, validating the table when it is the
 * first one. The caller holds o->mmu_lock. -EINVAL: a bad entry or frame;
 * -EBUSY: other type; -ERESTART: budget used up, progress kept in the frame. */
int frame_get_table_locked(struct frame_owner *o, struct frame *f,
			   enum frame_type type, int *budget) MUST_CHECK;
/* Drops one, at once. When it was the last, the table goes on the owner's
 * drain list, and its entries' references are dropped as far as the budget
 * reaches; frame_drain_locked does the rest. */
void frame_put_table_locked(struct frame_owner *o, struct frame *f,
			    int *budget);
/* Works off the drain list. -ERESTART: budget used up, call again; 0: empty.
 * A hypercall that dropped tables answers its guest only when it is empty, for
 * the guest expects frames it has unpinned to be free of their type. */
int frame_drain_locked(struct frame_owner *o, int *budget) MUST_CHECK;

/* Frees a frame whose last reference went (called by frame_put and kin). */
void frame_last_put(struct frame *f);

/* ---- page_table.c: entries ---- */

/* Machine address of the L1 entry that maps va in the tables under l4_mfn, or
 * 0 when an upper level is not present. Takes no lock and no reference:
 * upper levels may change at once on another vCPU, so every use re-checks
 * the frame's type under mmu_lock. */
u64 page_table_l1e(u64 l4_mfn, u64 va);
/* Translates va (present, and writable when write is set) to its frame and
 * takes a general (write: writable) reference of owner o. -EFAULT or as
 * frame_get_writable. */
int page_table_get_frame(struct frame_owner *o, u64 l4_mfn, u64 va, bool write,
			 struct frame **out) MUST_CHECK;

/* ---- mmu_update.c: changes of live tables ---- */

/*
 * One validated change of the page-table entry at machine address ma (8-byte
 * aligned) to val (as the guest wrote it, MFN based). owner: whose table
 * (holds its mmu_lock); frames: who must own the frames mapped (equal to owner
 * except for Domain 0's foreign maps). preserve_ad keeps A and D of the old
 * entry. Works for every level by the type of the frame at ma.
 * *old, if not NULL, gets the entry that was replaced.
 */
int mmu_update_locked(struct frame_owner *owner, struct frame_owner *frames,
		      u64 ma, u64 val, bool preserve_ad, u64 *old, int *budget)
	MUST_CHECK;
/* The same for a level-1 entry only, taking the lock: the fast path of
 * mmu_update, update_va_mapping and of emulated writes. */
int mmu_update_l1(struct frame_owner *owner, struct frame_owner *frames, u64 ma,
		  u64 val, bool preserve_ad) MUST_CHECK;

/* The same for a frame and a table of o's; false: that is not what it is, or it
 * is refused, and nothing was done. */
bool mmu_update_own_l1(struct frame_owner *o, u64 ma, u64 val) MUST_CHECK;

/* Pin (level 1..4; -ERESTART: budget used up, call again with the same
 * arguments) and unpin (what the budget leaves is on the drain list). */
int mmu_pin(struct frame_owner *o, u64 mfn, unsigned int level, int *budget)
	MUST_CHECK;
int mmu_unpin(struct frame_owner *o, u64 mfn, int *budget) MUST_CHECK;

/*
 * The references of a vCPU's change from one base table (L4; 0: none) to
 * another, when both are and stay valid tables of o: what a switch between
 * processes is. False: nothing changed, the general way must be taken.
 */
bool mmu_switch_base(struct frame_owner *o, u64 old_mfn, u64 new_mfn)
	MUST_CHECK;

/*
 * Emulation of a direct write by the guest kernel to one of its live level-1
 * tables (guest-abi 8.3). Called for a write fault (present, write) at
 * fault_va in guest-kernel mode. 0: done, rip and registers advanced;
 * -EAGAIN: nothing done, others wrote the entry too often: let it fault again;
 * -ENOENT: not such a write, deliver the fault to the guest; -EINVAL: such a
 * write, but one that the rules refuse or that cannot be decoded: deliver.
 */
struct guest_regs;
int mmu_emulate_write(struct frame_owner *o, u64 l4_mfn, u64 fault_va,
		      struct guest_regs *regs) MUST_CHECK;

/* ---- m2p.c ---- */

#define M2P_INVALID (~0UL)
/* machine-to-pseudo-physical table, read-only for guests; <arch/layout.h> */
static inline void m2p_set(u64 mfn, u64 pfn)
{
	m2p_table[mfn] = pfn;
}
/* MMU_MACHPHYS_UPDATE: o must own the frame. */
int m2p_update(struct frame_owner *o, u64 mfn, u64 pfn) MUST_CHECK;

#endif
