// SPDX-License-Identifier: Apache-2.0
/*
 * The receive ring: one copy of a packet into the pages that the guest has
 * posted, in ring order, as the guest expects its answers. Who has posted too
 * few pages gets nothing, at once: nobody waits for a receiver.
 */
#include <hv/dma.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include "switch.h"

/* netif: flags of an answer. */
#define RX_DATA_VALIDATED 1
#define RX_CSUM_BLANK 2
#define RX_MORE_DATA 4
#define RX_EXTRA_INFO 8
#define EXTRA_TYPE_GSO 1

struct rx_extra {
	u8 type, flags;
	u16 gso_bytes;
	u8 gso_type, pad;
	u16 features;
};

_Static_assert(sizeof(struct rx_extra) == sizeof(struct rx_answer),
	       "fits a slot");

static struct rx_wire read_request(const struct vif *v, u32 index)
{
	const u64 *slot = (const u64 *)&v->rx->slot[index % RING_ENTRIES];
	u64 word = READ_ONCE(*slot);
	struct rx_wire w;

	__builtin_memcpy(&w, &word, sizeof(w));
	return w;
}

static void answer(struct vif *v, struct rx_answer a)
{
	v->rx->slot[v->rx_cons++ % RING_ENTRIES].answer = a;
}

static void publish(struct vif *v)
{
	u32 old = v->rx_shown, now = v->rx_cons;

	if (now == old)
		return;
	v->rx_shown = now;
	__atomic_store_n(&v->rx->head.rsp_prod, now, __ATOMIC_SEQ_CST);
	if (now - READ_ONCE(v->rx->head.rsp_event) < now - old)
		event_backend_send(v->rx_notify);
}

/* ---- what the receiver can take ---- */

static bool takes_blank(const struct vif *v, const struct net_packet *p)
{
	return v->features & (p->key.family == 6 ? XENO_VIF_CSUM_BLANK_V6
						 : XENO_VIF_CSUM_BLANK);
}

static bool takes_gso(const struct vif *v, const struct net_packet *p)
{
	u32 wanted = p->offload.flags & PACKET_GSO_TCPV4 ? XENO_VIF_GSO_TCPV4
							 : XENO_VIF_GSO_TCPV6;

	return (v->features & wanted) && (v->features & XENO_VIF_SG) &&
	       takes_blank(v, p);
}

/* Slots posted by the guest; what is impossible ends the connection. */
static u32 posted(struct vif *v)
{
	u32 n = __atomic_load_n(&v->rx->head.req_prod, __ATOMIC_ACQUIRE) -
		v->rx_cons;

	if (n <= RING_ENTRIES)
		return n;
	v->rx_broken = true;
	guest_log(v->domain, "vif %u: broken receive ring", v->number);
	return 0;
}

static u16 flags_of(const struct net_packet *p)
{
	u16 flags = 0;

	if (p->offload.flags & PACKET_CSUM_BLANK)
		flags = RX_CSUM_BLANK | RX_DATA_VALIDATED;
	else if (p->offload.flags & PACKET_CSUM_GOOD)
		flags = RX_DATA_VALIDATED;
	if (p->offload.flags & PACKET_GSO)
		flags |= RX_EXTRA_INFO;
	return flags;
}

/* ---- into the pages ---- */

/* The next bytes of the packet into the next page; false: the guest's grant is
 * none, and the answer says so. */
static bool fill_slot(struct vif *v, struct packet_cursor *c, u32 offset,
		      u32 bytes, u16 flags)
{
	struct rx_wire w = read_request(v, v->rx_cons);
	struct rx_answer a = { w.id, (u16)offset, flags, (s16)bytes };
	struct frame *f;

	if (grant_acquire(v->domain, DOMID_BACKEND, w.ref, true, &f)) {
		a.flags = 0;
		a.status = ANSWER_ERROR;
		answer(v, a);
		return false;
	}
	owner_check((frame_mfn(f) << PAGE_SHIFT) + offset, bytes, v->domain->id,
		    true);
	cursor_copy(c, (u8 *)mfn_to_virt(frame_mfn(f)) + offset, bytes);
	grant_release(v->domain, w.ref, true, f);
	answer(v, a);
	return true;
}

static void gso_slot(struct vif *v, const struct net_packet *p)
{
	struct rx_extra e = {
		.type = EXTRA_TYPE_GSO,
		.gso_bytes = p->offload.gso_bytes,
		.gso_type = p->offload.flags & PACKET_GSO_TCPV4 ? GSO_TCPV4
								: GSO_TCPV6,
	};
	struct rx_answer a;

	__builtin_memcpy(&a, &e, sizeof(a));
	answer(v, a);
}

/* What is copied is the sender's, and stays so. */
static void check_pieces(const struct net_packet *p)
{
	for (u32 i = 0; i < p->piece_count; i++) {
		const struct packet_piece *piece = &p->pieces[i];

		if (piece->owner_id != OWNER_HV)
			owner_check((virt_to_mfn(piece->data) << PAGE_SHIFT) +
					    (u64)piece->data % PAGE_SIZE,
				    piece->bytes, piece->owner_id, false);
	}
}

static int fill_slots(struct vif *v, const struct net_packet *p)
{
	u32 left = p->total_bytes, offset = v->rx_headroom;
	u16 flags = flags_of(p);
	struct packet_cursor c;

	check_pieces(p);
	cursor_init(&c, p);
	while (left) {
		u32 n = MIN(left, (u32)PAGE_SIZE - offset);

		left -= n;
		if (!fill_slot(v, &c, offset, n,
			       flags | (left ? RX_MORE_DATA : 0)))
			return XENO_DROP_NO_BUFFER;
		if (flags & RX_EXTRA_INFO)
			gso_slot(v, p);
		flags = 0;
		offset = 0;
	}
	return DROP_NONE;
}

/* One packet that the receiver takes as it is, but for its checksum. */
static int put(struct vif *v, struct net_packet *p)
{
	u32 bytes = v->rx_headroom + p->total_bytes;
	u32 slots = (bytes + (u32)PAGE_SIZE - 1) / (u32)PAGE_SIZE;

	if (slots > 1 && !(v->features & XENO_VIF_SG))
		return XENO_DROP_TOO_LONG;
	if (p->offload.flags & PACKET_GSO)
		slots++;
	if (posted(v) < slots)
		return XENO_DROP_NO_BUFFER;
	if ((p->offload.flags & PACKET_CSUM_BLANK) && !takes_blank(v, p))
		packet_complete_csum(p);
	return fill_slots(v, p);
}

static bool count(struct vif *v, const struct net_packet *p, int why)
{
	if (why != DROP_NONE) {
		v->meter->rx_drops[why]++;
		return false;
	}
	domain_meter_begin(&v->meter->rx_sequence);
	v->meter->rx_packets++;
	v->meter->rx_bytes += p->total_bytes;
	domain_meter_end(&v->meter->rx_sequence);
	return true;
}

static bool put_cut(struct vif *v, const struct net_packet *p)
{
	u32 n = gso_count(p);
	struct net_packet part;
	bool any = false;

	if (n > GSO_PIECES_MAX)
		return count(v, p, XENO_DROP_TOO_LONG);
	for (u32 i = 0; i < n; i++) {
		gso_piece(p, i, &part);
		any |= count(v, &part, put(v, &part));
	}
	return any;
}

bool rx_deliver(struct vif *v, struct net_packet *p)
{
	bool delivered;

	spin_lock(&v->rx_lock);
	if (!v->connected || v->rx_broken) {
		delivered = count(v, p, XENO_DROP_NO_BUFFER);
	} else {
		if ((p->offload.flags & PACKET_GSO) && !takes_gso(v, p))
			delivered = put_cut(v, p);
		else
			delivered = count(v, p, put(v, p));
		publish(v);
	}
	spin_unlock(&v->rx_lock);
	return delivered;
}

void rx_count_drop(struct vif *v, enum xeno_drop why)
{
	spin_lock(&v->rx_lock);
	v->meter->rx_drops[why]++;
	spin_unlock(&v->rx_lock);
}
