// SPDX-License-Identifier: Apache-2.0
/* Rings of blkif (contract in shared_ring.h). */
#include "shared_ring.h"

#include <hv/string.h>

#define HEADER_BYTES offsetof(struct blkif_sring, ring)
#define SLOT_BYTES sizeof(union blkif_sring_entry)

_Static_assert(HEADER_BYTES == 64 && SLOT_BYTES == 112, "the x86-64 ABI");
_Static_assert(sizeof(struct blkif_response) == 16, "the x86-64 ABI");

static struct blkif_sring *sring(const struct shared_ring *r)
{
	return (struct blkif_sring *)r->pages[0];
}

static u32 slot_offset(const struct shared_ring *r, u32 index)
{
	return (u32)(HEADER_BYTES + (index & (r->entries - 1)) * SLOT_BYTES);
}

bool shared_ring_start(struct shared_ring *r)
{
	u32 slots =
		(u32)((r->page_count * PAGE_SIZE - HEADER_BYTES) / SLOT_BYTES);
	u32 rsp_prod = READ_ONCE(sring(r)->rsp_prod);

	r->entries = 1U << (31 - __builtin_clz(slots));
	r->req_cons = r->rsp_prod = r->rsp_pushed = rsp_prod;
	return READ_ONCE(sring(r)->req_prod) - rsp_prod <= r->entries;
}

static u32 requests_claimed(const struct shared_ring *r)
{
	return __atomic_load_n(&sring(r)->req_prod, __ATOMIC_ACQUIRE) -
	       r->req_cons;
}

enum ring_take shared_ring_take(struct shared_ring *r,
				struct blkif_request *out)
{
	u32 claimed = requests_claimed(r);
	u32 offset, first;

	if (!claimed) {
		__atomic_store_n(&sring(r)->req_event, r->req_cons + 1,
				 __ATOMIC_SEQ_CST);
		claimed = requests_claimed(r);
		if (!claimed)
			return RING_EMPTY;
	}
	/* Also when it went backwards: then it claims nearly 2^32. */
	if (claimed > r->entries - (r->req_cons - r->rsp_prod))
		return RING_BROKEN;
	offset = slot_offset(r, r->req_cons);
	first = (u32)MIN(sizeof(*out), PAGE_SIZE - offset % PAGE_SIZE);
	memcpy(out, r->pages[offset / PAGE_SIZE] + offset % PAGE_SIZE, first);
	if (first < sizeof(*out))
		memcpy((u8 *)out + first, r->pages[offset / PAGE_SIZE + 1],
		       sizeof(*out) - first);
	barrier();
	r->req_cons++;
	return RING_TAKEN;
}

void shared_ring_respond(struct shared_ring *r, u64 id, u8 operation,
			 s16 status)
{
	u32 offset = slot_offset(r, r->rsp_prod);
	u32 first;
	struct blkif_response rsp;

	memset(&rsp, 0, sizeof(rsp));
	rsp.id = id;
	rsp.operation = operation;
	rsp.status = status;
	first = (u32)MIN(sizeof(rsp), PAGE_SIZE - offset % PAGE_SIZE);
	memcpy(r->pages[offset / PAGE_SIZE] + offset % PAGE_SIZE, &rsp, first);
	if (first < sizeof(rsp))
		memcpy(r->pages[offset / PAGE_SIZE + 1], (u8 *)&rsp + first,
		       sizeof(rsp) - first);
	r->rsp_prod++;
}

bool shared_ring_push(struct shared_ring *r)
{
	u32 old = r->rsp_pushed, new = r->rsp_prod;

	if (old == new)
		return false;
	/* Ordered before what it reads next, as the guest orders its own: one
	 * of the two sees the other. */
	__atomic_store_n(&sring(r)->rsp_prod, new, __ATOMIC_SEQ_CST);
	r->rsp_pushed = new;
	return new - READ_ONCE(sring(r)->rsp_event) < new - old;
}
