/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grant tables, version 1. Shared entries are read once and confirmed by
 * compare-and-exchange; every map holds its own references and a maptrack
 * entry charged to the mapping domain; unmap drops exactly what its map took.
 * No two grant locks (RANK_GRANT) are ever held together, and none while page
 * tables change. A granter's struct domain lives until grant_domain_free says
 * 0, so a map may outlast its granter.
 */
#ifndef HV_GRANT_H
#define HV_GRANT_H

#include <hv/domain.h>

#include <xen/grant_table.h>

#define GRANT_MAX_FRAMES 64
/* Unmaps that share one TLB flush. */
#define GRANT_UNMAP_BATCH 16

int grant_domain_init(struct domain *d) MUST_CHECK;
/* Drops every map d holds of others, when none of its vCPUs runs any more.
 * -ERESTART: *budget (maps) used up, call again. */
int grant_domain_exit(struct domain *d, int *budget) MUST_CHECK;
/* Frees the table, after exit, when d's page tables are gone and d can be
 * found no more. -EBUSY: other domains or the hypervisor still use what d
 * granted; call again. Shared frames that Domain 0 maps count in the owner's
 * state_pages until it lets go. */
int grant_domain_free(struct domain *d) MUST_CHECK;

/* Each handles one element for the current domain d and stores its GNTST_
 * status in it. */
void grant_map(struct domain *d, struct gnttab_map_grant_ref *op);
void grant_copy(struct domain *d, struct gnttab_copy *op);
/* The same for count <= GRANT_UNMAP_BATCH elements; on return no CPU caches a
 * translation of what was unmapped. */
void grant_unmap(struct domain *d, struct gnttab_unmap_grant_ref *ops,
		 u32 count);

/* Grows the table to at least nr_frames. -EINVAL: too many. */
int grant_setup(struct domain *d, u32 nr_frames) MUST_CHECK;
u32 grant_frame_count(const struct domain *d);
/* idx < grant_frame_count */
u64 grant_frame_mfn(const struct domain *d, u32 idx);

/*
 * Pins what d granted to domain `grantee` under ref, for reading, or for
 * writing too, and marks the shared entry in use. The frame holds one more
 * reference (write: writable) until grant_release with the same arguments,
 * which must come after the last access. GNTST_okay, or a negative GNTST_
 * status. This is also what the hypervisor's own back ends use.
 */
int grant_acquire(struct domain *d, u16 grantee, u32 ref, bool write,
		  struct frame **out) MUST_CHECK;
void grant_release(struct domain *d, u32 ref, bool write, struct frame *f);

/* Calls fn for each entry of d that is pinned: the frame holds one reference
 * for each reader and a writable one for each writer. Nothing may change
 * meanwhile. */
typedef void (*grant_pin_fn)(void *ctx, u32 mfn, u32 readers, u32 writers);
void grant_for_each_pin(const struct domain *d, grant_pin_fn fn, void *ctx);

#endif
