// SPDX-License-Identifier: Apache-2.0
/* Virtqueues (contract in virtqueue.h). */
#include "virtqueue.h"

#include <hv/dma.h>
#include <hv/errno.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/device.h>

#define DESC_NEXT 1U
#define DESC_WRITE 2U
#define DESC_INDIRECT 4U
#define AVAIL_NO_INTERRUPT 1U
#define USED_NO_NOTIFY 1U
#define NO_SLOT 0xffff

static u64 maddr_of(const void *p)
{
	return (virt_to_mfn(p) << PAGE_SHIFT) | ((u64)p & ~PAGE_MASK);
}

/* ---- the parts of the shared pages: table; avail and used ---- */

static u16 *avail_event(const struct virtqueue *q)
{
	return q->used + 2 + 4 * q->size;
}

static u16 *used_event(const struct virtqueue *q)
{
	return q->avail + 2 + q->size;
}

static void *page_alloc(void)
{
	struct frame *f = frame_alloc(0);

	return f ? mfn_to_virt(frame_mfn(f)) : NULL;
}

static void page_free(void *p)
{
	if (p)
		frame_free(&frame_table[virt_to_mfn(p)], 0);
}

_Static_assert(VIRTQUEUE_SIZE_MAX * sizeof(struct virtq_desc) <= PAGE_SIZE,
	       "the table is a page");
_Static_assert(VIRTQUEUE_SIZE_MAX * sizeof(struct virtqueue_slot) <= PAGE_SIZE,
	       "and so are the slots");
_Static_assert(VIRTQUEUE_CHAIN_MAX * sizeof(struct virtq_desc) <= PAGE_SIZE,
	       "an indirect table is within a page");

static unsigned int tables_per_page(u16 limit)
{
	return (unsigned int)(PAGE_SIZE / (limit * sizeof(struct virtq_desc)));
}

static int alloc_tables(struct virtqueue *q)
{
	unsigned int per_page = tables_per_page(q->limit);

	for (unsigned int i = 0; i < q->size; i++) {
		if (i % per_page)
			q->tables[i] = q->tables[i - 1] + q->limit;
		else
			q->tables[i] = page_alloc();
		if (!q->tables[i])
			return -ENOMEM;
	}
	return 0;
}

int virtqueue_alloc(struct virtqueue *q, u16 size, u16 limit, bool indirect)
{
	memset(q, 0, sizeof(*q));
	q->size = size;
	q->limit = limit;
	q->indirect = indirect;
	q->desc = page_alloc();
	q->avail = page_alloc();
	q->slots = page_alloc();
	if (!q->desc || !q->avail || !q->slots)
		return -ENOMEM;
	/* Aligned to 4: the first part is 6 + 2 * size bytes. */
	q->used = q->avail + ALIGN_UP(3 + size, 2);
	for (u16 i = 0; i < size; i++)
		q->slots[i].next = (u16)(i + 1);
	q->slots[size - 1].next = NO_SLOT;
	q->free_count = size;
	return indirect ? alloc_tables(q) : 0;
}

void virtqueue_free(struct virtqueue *q)
{
	if (q->indirect)
		for (unsigned int i = 0; i < q->size;
		     i += tables_per_page(q->limit))
			page_free(q->tables[i]);
	page_free(q->desc);
	page_free(q->avail);
	page_free(q->slots);
	memset(q, 0, sizeof(*q));
}

/* ---- to the device ---- */

/* Writes buffer i of a chain to a descriptor but for its next. */
static void fill(struct virtq_desc *d, const struct virtqueue_buffer *b,
		 bool device_writes, bool last)
{
	dma_check(b->maddr, b->bytes, device_writes);
	d->maddr = b->maddr;
	d->bytes = b->bytes;
	d->flags = (u16)((device_writes ? DESC_WRITE : 0) |
			 (last ? 0 : DESC_NEXT));
}

static u16 add_indirect(struct virtqueue *q,
			const struct virtqueue_buffer *buffers, u32 out,
			u32 count)
{
	u16 head = q->free_head;
	struct virtq_desc *table = q->tables[head], *d = &q->desc[head];

	for (u32 i = 0; i < count; i++) {
		fill(&table[i], &buffers[i], i >= out, i + 1 == count);
		table[i].next = (u16)(i + 1);
	}
	d->maddr = maddr_of(table);
	d->bytes = count * (u32)sizeof(*table);
	d->flags = DESC_INDIRECT;
	q->free_head = q->slots[head].next;
	q->free_count--;
	q->slots[head].chain_size = 1;
	return head;
}

static u16 add_direct(struct virtqueue *q,
		      const struct virtqueue_buffer *buffers, u32 out,
		      u32 count)
{
	u16 head = q->free_head, i = head;

	for (u32 n = 0; n < count; n++) {
		fill(&q->desc[i], &buffers[n], n >= out, n + 1 == count);
		q->desc[i].next = q->slots[i].next;
		i = q->slots[i].next;
	}
	q->free_head = i;
	q->free_count = (u16)(q->free_count - count);
	q->slots[head].chain_size = (u16)count;
	return head;
}

int virtqueue_add(struct virtqueue *q, const struct virtqueue_buffer *buffers,
		  u32 out, u32 in, void *token)
{
	u32 count = out + in, in_bytes = 0;
	bool indirect = q->indirect && count > 1;
	u16 head;

	if (!count || count > q->limit)
		return -EINVAL;
	if (q->free_count < (indirect ? 1 : count))
		return -EBUSY;
	for (u32 i = out; i < count; i++)
		in_bytes += buffers[i].bytes;
	head = indirect ? add_indirect(q, buffers, out, count)
			: add_direct(q, buffers, out, count);
	q->slots[head].token = token;
	q->slots[head].in_bytes = in_bytes;
	q->in_flight++;
	q->avail[2 + (q->avail_idx & (q->size - 1))] = head;
	q->avail_idx++;
	/* The chain is complete before the device can see it. */
	__atomic_store_n(&q->avail[1], q->avail_idx, __ATOMIC_RELEASE);
	return 0;
}

void virtqueue_kick(struct virtqueue *q)
{
	u16 added = (u16)(q->avail_idx - q->kicked_idx);
	bool wanted;

	if (!added || q->broken)
		return;
	device_fence();
	if (q->event_idx)
		wanted = (u16)(q->avail_idx - READ_ONCE(*avail_event(q)) - 1) <
			 added;
	else
		wanted = !(READ_ONCE(q->used[0]) & USED_NO_NOTIFY);
	q->kicked_idx = q->avail_idx;
	if (wanted)
		device_write16(q->notify, q->index);
}

/* ---- from the device ---- */

/* The chain that starts at slot head is nobody's any more. */
static void *release(struct virtqueue *q, u16 head)
{
	struct virtqueue_slot *s = &q->slots[head];
	void *token = s->token;
	u16 last = head;

	for (u16 n = 1; n < s->chain_size; n++)
		last = q->slots[last].next;
	q->slots[last].next = q->free_head;
	q->free_head = head;
	q->free_count = (u16)(q->free_count + s->chain_size);
	q->in_flight--;
	s->token = NULL;
	return token;
}

void *virtqueue_take(struct virtqueue *q, u32 *written_bytes)
{
	const struct virtq_used_elem *ring =
		(const struct virtq_used_elem *)(q->used + 2);
	const struct virtq_used_elem *e = &ring[q->used_idx & (q->size - 1)];
	u16 done = (u16)(__atomic_load_n(&q->used[1], __ATOMIC_ACQUIRE) -
			 q->used_idx);
	u32 id, bytes;

	if (!done || q->broken)
		return NULL;
	id = READ_ONCE(e->id);
	bytes = READ_ONCE(e->bytes);
	if (done > q->in_flight || id >= q->size || !q->slots[id].token ||
	    bytes > q->slots[id].in_bytes) {
		q->broken = true;
		return NULL;
	}
	q->used_idx++;
	*written_bytes = bytes;
	return release(q, (u16)id);
}

void virtqueue_quiet(struct virtqueue *q)
{
	/* With event indices, one that stays behind is silent by itself. */
	if (!q->event_idx)
		WRITE_ONCE(q->avail[0], AVAIL_NO_INTERRUPT);
}

bool virtqueue_listen(struct virtqueue *q)
{
	if (q->event_idx)
		WRITE_ONCE(*used_event(q), q->used_idx);
	else
		WRITE_ONCE(q->avail[0], 0);
	device_fence();
	return !q->broken &&
	       __atomic_load_n(&q->used[1], __ATOMIC_ACQUIRE) != q->used_idx;
}

void *virtqueue_take_back(struct virtqueue *q)
{
	for (u16 i = 0; q->in_flight && i < q->size; i++)
		if (q->slots[i].token)
			return release(q, i);
	return NULL;
}
