/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end's half of a blkif ring, <xen/io/blkif.h> for x86-64: a header
 * and a power of two of slots, in up to 16 pages that need not be contiguous
 * and that a hostile guest writes at any time. Only indices kept here count;
 * of the guest's, req_prod is read once each time and checked.
 */
#ifndef SHARED_RING_H
#define SHARED_RING_H

#include <hv/types.h>

#include <xen/event_channel.h>
#include <xen/io/blkif.h>
#include <xen/xen.h>

#define SHARED_RING_PAGES_MAX 16

struct shared_ring {
	u32 entries;    /* power of two */
	u32 req_cons;   /* requests taken */
	u32 rsp_prod;   /* responses written */
	u32 rsp_pushed; /* responses that the guest may see */
	u32 page_count;
	u8 *pages[SHARED_RING_PAGES_MAX];
};

enum ring_take { RING_EMPTY, RING_TAKEN, RING_BROKEN };

/* Goes on where the ring stands. False: its indices are impossible. page_count
 * and pages are set. */
bool shared_ring_start(struct shared_ring *r) MUST_CHECK;
/* Copies the next request. EMPTY: and the guest will notify when there is one.
 * BROKEN: the guest claims more requests than there are slots. */
enum ring_take shared_ring_take(struct shared_ring *r,
				struct blkif_request *out) MUST_CHECK;
/* One for each request taken, in any order. */
void shared_ring_respond(struct shared_ring *r, u64 id, u8 operation,
			 s16 status);
/* Makes responses visible; true: the guest wants to be notified. */
bool shared_ring_push(struct shared_ring *r) MUST_CHECK;

#endif
