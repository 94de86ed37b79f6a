/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grant tables, version 1 (guest-abi 11). Shared entries are read once and
 * confirmed by compare-and-exchange; every map holds its own references and a
 * maptrack entry charged to the mapping domain; unmap drops exactly what its
 * map took. Lock order: RANK_GRANT of the two domains by address, then mmu.
 */
#ifndef HV_GRANT_H
#define HV_GRANT_H

#include <hv/domain.h>

#include <xen/grant_table.h>

#define GRANT_MAX_FRAMES 64

int grant_domain_init(struct domain *d) MUST_CHECK;
/* Drops every map d holds of others; restartable like the rest of tear-down. */
int grant_domain_exit(struct domain *d, int *budget) MUST_CHECK;

/* Each handles one element and stores its GNTST_ status in it. */
void grant_map(struct domain *d, struct gnttab_map_grant_ref *op);
void grant_unmap(struct domain *d, struct gnttab_unmap_grant_ref *op);
void grant_copy(struct domain *d, struct gnttab_copy *op);
/* Grows the table to nr_frames; frame numbers are then grant_frame_mfn. */
int grant_setup(struct domain *d, u32 nr_frames) MUST_CHECK;
u32 grant_frame_count(struct domain *d);
u64 grant_frame_mfn(struct domain *d, u32 idx);

/* For the hypervisor's own back ends: pins the frame granted by d to
 * grantee for reading (write: writing), marking the shared entry in use. */
int grant_acquire(struct domain *d, u16 grantee, u32 ref, bool write,
		  struct frame **out) MUST_CHECK;
void grant_release(struct domain *d, u32 ref, bool write, struct frame *f);

#endif
