// SPDX-License-Identifier: Apache-2.0
/*
 * From a VIF to the card (contract in vif.h). The header goes out from our own
 * copy; the payload from the guest's pages, whose grants are held until the
 * card is done, when the guest gets its answers. A packet that lies in its
 * header copy as a whole holds nothing.
 *
 * The card tells that it is done at any time, even inside send, so what it
 * gives back is put on a list of its own, and the interface's work looks there.
 */
#include <hv/dma.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include "switch.h"

static u64 maddr_of(const void *p)
{
	return virt_to_mfn(p) << PAGE_SHIFT | ((u64)p & (PAGE_SIZE - 1));
}

/* ---- pieces ---- */

static void put_free(struct vif *v, struct tx_piece *t)
{
	t->next = v->free;
	v->free = t;
	v->free_count++;
}

static struct tx_piece *take_free(struct vif *v)
{
	struct tx_piece *t = v->free;

	v->free = t->next;
	v->free_count--;
	t->vif = v;
	t->parent = t;
	t->pending = 1;
	t->slot_count = t->extra_count = 0;
	return t;
}

static bool grow(struct vif *v)
{
	struct tx_piece *page;

	if (v->piece_pages == PIECE_PAGES_MAX)
		return false;
	page = state_page_alloc(&v->domain->owner);
	if (!page)
		return false;
	v->pages[v->piece_pages++] = page;
	for (u32 i = 0; i < PIECES_PER_PAGE; i++)
		put_free(v, &page[i]);
	return true;
}

static bool card_cuts(const struct uplink *u, u8 gso_type)
{
	return u->flags & (gso_type == GSO_TCPV4 ? UPLINK_TSO4 : UPLINK_TSO6);
}

bool tx_pieces_ready(struct vif *v, const struct tx_request *r)
{
	const struct uplink *u = switch_uplink();
	u32 need = 1;

	if (!u)
		return true;
	if (r->gso_type && r->gso_bytes && !card_cuts(u, r->gso_type))
		need = (r->total_bytes + r->gso_bytes - 1) / r->gso_bytes;
	while (v->free_count < need && grow(v))
		;
	/* With nothing in flight no piece would ever come. */
	return v->free_count >= need ||
	       !__atomic_load_n(&v->in_flight, __ATOMIC_ACQUIRE);
}

void tx_pieces_free(struct vif *v)
{
	while (v->piece_pages)
		state_page_free(&v->domain->owner, v->pages[--v->piece_pages]);
	v->free = NULL;
	v->free_count = 0;
}

/* ---- there ---- */

/* By the driver: in_flight falls last, so v stays until then. A dying domain
 * that waited for just this is looked at again. */
static void done(struct uplink_packet *packet)
{
	struct tx_piece *t = container_of(packet, struct tx_piece, packet);
	struct vif *v = t->vif;

	for (u32 i = 1; i < packet->segment_count; i++)
		owner_check(packet->segments[i].maddr,
			    packet->segments[i].bytes, v->domain->id, false);
	t->next = __atomic_load_n(&v->done, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&v->done, &t->next, t, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	work_queue(&v->work);
	if (__atomic_sub_fetch(&v->in_flight, 1, __ATOMIC_SEQ_CST) ==
	    IN_FLIGHT_WAITED)
		frame_owner_freed();
}

static void fill_piece(struct tx_piece *t, const struct net_packet *p)
{
	struct uplink_segment *s = t->packet.segments;

	memcpy(t->header, p->header, p->header_bytes);
	s[0].maddr = maddr_of(t->header);
	s[0].bytes = p->header_bytes;
	for (u32 i = 0; i < p->piece_count; i++) {
		s[i + 1].maddr = maddr_of(p->pieces[i].data);
		s[i + 1].bytes = p->pieces[i].bytes;
		owner_check(s[i + 1].maddr, s[i + 1].bytes, t->vif->domain->id,
			    false);
	}
	t->packet.segment_count = p->piece_count + 1;
	t->packet.offload = p->offload;
	t->packet.done = done;
}

static int submit(struct vif *v, struct uplink *u, struct tx_piece *t)
{
	__atomic_add_fetch(&v->in_flight, 1, __ATOMIC_RELAXED);
	if (!u->driver->send(u, &t->packet)) {
		v->unkicked = true;
		return 0;
	}
	__atomic_sub_fetch(&v->in_flight, 1, __ATOMIC_RELAXED);
	return -EBUSY;
}

static void hand_over(struct tx_piece *t, struct tx_request *r)
{
	t->slot_count = (u8)r->slot_count;
	t->extra_count = (u8)r->extra_count;
	for (u32 i = 0; i < r->slot_count; i++) {
		t->ids[i] = r->slot[i].id;
		t->refs[i] = r->slot[i].ref;
		t->frames[i] = r->slot[i].frame;
	}
	r->handed_over = true;
}

static int send_whole(struct vif *v, struct uplink *u, struct net_packet *p,
		      struct tx_request *r)
{
	struct tx_piece *t;

	if (!v->free)
		return XENO_DROP_UPLINK;
	if ((p->offload.flags & PACKET_CSUM_BLANK) && !(u->flags & UPLINK_CSUM))
		packet_complete_csum(p);
	t = take_free(v);
	fill_piece(t, p);
	/* Before it is sent: it may be done before send returns. */
	if (p->piece_count)
		hand_over(t, r);
	if (!submit(v, u, t))
		return DROP_NONE;
	r->handed_over = false;
	put_free(v, t);
	return XENO_DROP_UPLINK;
}

/* Part index of the whole; its payload is the parent's, which may be a part
 * sent before, or NULL: it becomes the parent. */
static struct tx_piece *send_part(struct vif *v, struct uplink *u,
				  const struct net_packet *whole, u32 index,
				  struct tx_piece *parent, struct tx_request *r)
{
	struct net_packet part;
	struct tx_piece *t;

	gso_piece(whole, index, &part);
	/* The bytes that the whole has in its header copy are on a stack. */
	if (part.piece_count && whole->header_bytes > part.header_bytes &&
	    part.pieces[0].data >= whole->header &&
	    part.pieces[0].data < whole->header + whole->header_bytes) {
		u32 n = part.pieces[0].bytes;

		memcpy(part.header + part.header_bytes, part.pieces[0].data, n);
		part.header_bytes += n;
		part.piece_count--;
		for (u32 i = 0; i < part.piece_count; i++)
			part.pieces[i] = part.pieces[i + 1];
	}
	if (!(u->flags & UPLINK_CSUM))
		packet_complete_csum(&part);
	t = take_free(v);
	fill_piece(t, &part);
	if (parent) {
		t->parent = parent;
		parent->pending++;
	} else {
		hand_over(t, r);
	}
	if (!submit(v, u, t))
		return parent ? parent : t;
	if (parent)
		parent->pending--;
	else
		r->handed_over = false;
	put_free(v, t);
	return NULL;
}

static int send_cut(struct vif *v, struct uplink *u, struct net_packet *p,
		    struct tx_request *r)
{
	u32 count = gso_count(p);
	struct tx_piece *parent = NULL;

	if (count > GSO_PIECES_MAX)
		return XENO_DROP_TOO_LONG;
	if (v->free_count < count)
		return XENO_DROP_UPLINK;
	for (u32 i = 0; i < count; i++) {
		parent = send_part(v, u, p, i, parent, r);
		if (!parent)
			return XENO_DROP_UPLINK;
	}
	return DROP_NONE;
}

int tx_to_uplink(struct vif *v, struct net_packet *p, struct tx_request *r)
{
	struct uplink *u = switch_uplink();
	u32 link_bytes = ETHERNET_BYTES + (p->key.flags & KEY_VLAN ? 4 : 0);
	u32 most;

	if (!u)
		return XENO_DROP_UPLINK;
	most = u->mtu + link_bytes;
	if (!(p->offload.flags & PACKET_GSO)) {
		if (p->total_bytes > most)
			return XENO_DROP_TOO_LONG;
		return send_whole(v, u, p, r);
	}
	if ((u32)p->key.data_offset + p->offload.gso_bytes > most)
		return XENO_DROP_TOO_LONG;
	if (card_cuts(u, r->gso_type))
		return send_whole(v, u, p, r);
	return send_cut(v, u, p, r);
}

/* ---- and back ---- */

/* The parent and all its parts are done. */
static void finish(struct vif *v, struct tx_piece *t)
{
	for (u32 i = 0; i < t->slot_count; i++) {
		grant_release(v->domain, t->refs[i], false, t->frames[i]);
		if (v->connected)
			tx_answer(v, t->ids[i], ANSWER_OKAY);
	}
	for (u32 i = 0; i < t->extra_count && v->connected; i++)
		tx_answer(v, 0, ANSWER_NULL);
	put_free(v, t);
}

bool tx_reap(struct vif *v)
{
	struct tx_piece *t =
		__atomic_exchange_n(&v->done, NULL, __ATOMIC_ACQUIRE);
	bool any = t;

	while (t) {
		struct tx_piece *next = t->next, *parent = t->parent;

		if (t != parent)
			put_free(v, t);
		if (!--parent->pending)
			finish(v, parent);
		t = next;
	}
	return any;
}
