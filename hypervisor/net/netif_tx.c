// SPDX-License-Identifier: Apache-2.0
/*
 * The transmit ring: takes requests in turn, a bounded part of them at a time,
 * and sends what they name through guard, rules and switch. A slot is read
 * once. All interfaces take turns in the queue of deferred work, each with the
 * same quantum of bytes (deficit round robin); what one sends too much in a
 * turn it lacks in the next.
 *
 * A guest that breaks the protocol so that the next packet cannot be found is
 * not listened to any more until it connects anew; a packet that is wrong in
 * itself is answered with an error.
 */
#include <hv/dma.h>
#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>

#include "rule_table.h"
#include "switch.h"

/* A turn, which TURN_STEPS may end earlier. */
#define TURN_BYTES 65536
#define TURN_PACKETS 24

/* netif: flags of a request, and of an extra slot. */
#define TX_CSUM_BLANK 1
#define TX_MORE_DATA 4
#define TX_EXTRA_INFO 8
#define EXTRA_MORE 1
#define EXTRA_TYPE_GSO 1
#define EXTRA_TYPES 5

enum gathered {
	GATHERED,
	GATHER_LATER,  /* the rest of it has not been posted */
	GATHER_BAD,    /* all of it is there, and wrong */
	GATHER_BROKEN, /* where it ends cannot be told */
};

/* A slot that the guest may be writing, as three words of which each is read
 * once. */
union tx_slot {
	u32 words[3];
	struct tx_wire request;
	struct {
		u8 type, flags;
		u16 gso_bytes;
		u8 gso_type, pad;
		u16 features;
	} extra;
};

static void read_slot(const struct vif *v, u32 index, union tx_slot *out)
{
	const u32 *slot = (const u32 *)&v->tx->slot[index % RING_ENTRIES];

	for (int i = 0; i < 3; i++)
		out->words[i] = READ_ONCE(slot[i]);
}

void tx_answer(struct vif *v, u16 id, s16 status)
{
	struct tx_answer a = { id, status };

	v->tx->slot[v->tx_rsp++ % RING_ENTRIES].answer = a;
}

void tx_publish(struct vif *v)
{
	u32 old = v->tx_shown, now = v->tx_rsp;

	if (now == old)
		return;
	v->tx_shown = now;
	__atomic_store_n(&v->tx->head.rsp_prod, now, __ATOMIC_SEQ_CST);
	if (now - READ_ONCE(v->tx->head.rsp_event) < now - old)
		event_backend_send(&v->tx_event);
}

/* ---- from the ring ---- */

static bool add_slot(struct tx_request *r, const struct tx_wire *w)
{
	u32 i = r->slot_count++;

	r->slot[i].ref = w->ref;
	r->slot[i].offset = w->offset;
	r->slot[i].bytes = w->size;
	r->slot[i].id = w->id;
	return (u32)w->offset + w->size <= PAGE_SIZE && w->size;
}

/* Reads the extra slots from *at on. */
static enum gathered gather_extras(const struct vif *v, u32 prod, u32 *at,
				   struct tx_request *r)
{
	enum gathered result = GATHERED;
	union tx_slot s;

	do {
		if (*at == prod)
			return GATHER_LATER;
		if (r->extra_count == TX_EXTRAS_MAX)
			return GATHER_BROKEN;
		read_slot(v, (*at)++, &s);
		r->extra_count++;
		if (!s.extra.type || s.extra.type >= EXTRA_TYPES)
			result = GATHER_BAD;
		if (s.extra.type != EXTRA_TYPE_GSO)
			continue;
		r->gso_type = s.extra.gso_type;
		r->gso_bytes = s.extra.gso_bytes;
		if (r->gso_type != GSO_TCPV4 && r->gso_type != GSO_TCPV6)
			result = GATHER_BAD;
	} while (s.extra.flags & EXTRA_MORE);
	return result;
}

/* The next packet of those up to prod; *end: where the one after it is. */
static enum gathered gather(const struct vif *v, u32 prod, struct tx_request *r,
			    u32 *end)
{
	enum gathered result = GATHERED;
	u32 at = v->tx_cons, others = 0;
	union tx_slot s;
	u16 flags;

	r->slot_count = r->extra_count = 0;
	r->gso_type = 0;
	r->handed_over = false;
	read_slot(v, at++, &s);
	flags = s.request.flags;
	r->csum_blank = flags & TX_CSUM_BLANK;
	r->total_bytes = s.request.size;
	/* Its own size is known only when all others' are. */
	s.request.size = 1;
	if (!add_slot(r, &s.request))
		result = GATHER_BAD;
	if (flags & TX_EXTRA_INFO) {
		enum gathered g = gather_extras(v, prod, &at, r);

		if (g == GATHER_LATER || g == GATHER_BROKEN)
			return g;
		if (g == GATHER_BAD)
			result = g;
	}
	while (flags & TX_MORE_DATA) {
		if (at == prod)
			return GATHER_LATER;
		if (r->slot_count == TX_SLOTS_MAX)
			return GATHER_BROKEN;
		read_slot(v, at++, &s);
		flags = s.request.flags;
		if (!add_slot(r, &s.request))
			result = GATHER_BAD;
		others += s.request.size;
	}
	*end = at;
	if (r->total_bytes <= others || r->total_bytes < ETHERNET_BYTES ||
	    r->slot[0].offset + (r->total_bytes - others) > PAGE_SIZE)
		return GATHER_BAD;
	r->slot[0].bytes = (u16)(r->total_bytes - others);
	return result;
}

/* ---- pages ---- */

static void release(struct vif *v, struct tx_request *r, u32 count)
{
	for (u32 i = 0; i < count; i++)
		grant_release(v->domain, r->slot[i].ref, false,
			      r->slot[i].frame);
}

static bool acquire(struct vif *v, struct tx_request *r)
{
	for (u32 i = 0; i < r->slot_count; i++)
		if (grant_acquire(v->domain, DOMID_BACKEND, r->slot[i].ref,
				  false, &r->slot[i].frame)) {
			release(v, r, i);
			return false;
		}
	return true;
}

/* The header copied, the rest as pieces. */
static void fill_packet(const struct vif *v, const struct tx_request *r,
			struct net_packet *p)
{
	p->total_bytes = r->total_bytes;
	p->header_bytes = 0;
	p->piece_count = 0;
	for (u32 i = 0; i < r->slot_count; i++) {
		const u8 *data =
			(u8 *)mfn_to_virt(frame_mfn(r->slot[i].frame)) +
			r->slot[i].offset;
		u32 bytes = r->slot[i].bytes;
		u32 n = MIN(bytes, PACKET_HEADER_BYTES - p->header_bytes);

		owner_check((frame_mfn(r->slot[i].frame) << PAGE_SHIFT) +
				    r->slot[i].offset,
			    bytes, v->domain->id, false);
		memcpy(p->header + p->header_bytes, data, n);
		p->header_bytes += n;
		if (n == bytes)
			continue;
		p->pieces[p->piece_count++] = (struct packet_piece){
			data + n,
			bytes - n,
			v->domain->id,
		};
	}
}

static bool set_offload(const struct tx_request *r, struct net_packet *p)
{
	u16 csum_offset;

	p->offload = (struct packet_offload){ 0 };
	if (r->csum_blank) {
		csum_offset = packet_csum_offset(&p->key);
		if (!csum_offset)
			return false;
		p->offload.flags = PACKET_CSUM_BLANK;
		p->offload.csum_start = p->key.l4_offset;
		p->offload.csum_offset = csum_offset;
	}
	if (!r->gso_type)
		return true;
	p->offload.flags |=
		r->gso_type == GSO_TCPV4 ? PACKET_GSO_TCPV4 : PACKET_GSO_TCPV6;
	p->offload.gso_bytes = r->gso_bytes;
	p->offload.header_bytes = p->key.data_offset;
	return gso_valid(p);
}

/* ---- one packet ---- */

/* A reason to drop it, or DROP_NONE. */
static int send(struct vif *v, struct tx_request *r)
{
	const struct rule_verdict *verdict;
	struct net_packet p;

	fill_packet(v, r, &p);
	if (!packet_parse(p.header, p.total_bytes, r->gso_type, &p.key) ||
	    !set_offload(r, &p))
		return XENO_DROP_MALFORMED;
	if (!guard_allows(v, &p.key))
		return XENO_DROP_SPOOFED;
	verdict = rules_decide(&p.key, v->interface, false, p.total_bytes);
	if (verdict && verdict->action == XENO_RULE_DROP)
		return XENO_DROP_RULE;
	return switch_forward(v, &p, r);
}

static void answer_all(struct vif *v, const struct tx_request *r, s16 status)
{
	for (u32 i = 0; i < r->slot_count; i++)
		tx_answer(v, r->slot[i].id, status);
	for (u32 i = 0; i < r->extra_count; i++)
		tx_answer(v, 0, ANSWER_NULL);
}

static s16 answer_for(int why)
{
	if (why == DROP_NONE)
		return ANSWER_OKAY;
	return why == XENO_DROP_MALFORMED ? ANSWER_ERROR : ANSWER_DROPPED;
}

static void one_packet(struct vif *v, struct tx_request *r, bool bad)
{
	int why = XENO_DROP_MALFORMED;

	if (!bad && acquire(v, r)) {
		why = send(v, r);
		if (!r->handed_over)
			release(v, r, r->slot_count);
	}
	if (why == DROP_NONE) {
		domain_meter_begin(&v->meter->tx_sequence);
		v->meter->tx_packets++;
		v->meter->tx_bytes += r->total_bytes;
		domain_meter_end(&v->meter->tx_sequence);
	} else {
		v->meter->tx_drops[why]++;
	}
	if (!r->handed_over)
		answer_all(v, r, answer_for(why));
}

static void broken(struct vif *v)
{
	v->tx_broken = true;
	v->meter->tx_drops[XENO_DROP_MALFORMED]++;
	guest_log(v->domain, "vif %u: broken transmit ring", v->number);
}

/* Packets up to prod, as far as this turn goes; true: there are more. */
static bool take_turn(struct vif *v, u32 prod)
{
	struct tx_request r;
	u32 packets = 0, end = v->tx_cons;

	v->deficit_bytes += TURN_BYTES;
	while (v->tx_cons != prod) {
		enum gathered g;

		if (v->deficit_bytes <= 0 || packets++ == TURN_PACKETS ||
		    net_spent() >= TURN_STEPS)
			return true;
		g = gather(v, prod, &r, &end);
		if (g == GATHER_BROKEN) {
			broken(v);
			break;
		}
		if (g == GATHER_LATER ||
		    (g == GATHERED && !tx_pieces_ready(v, &r)))
			break;
		v->tx_cons = end;
		v->deficit_bytes -= r.total_bytes;
		one_packet(v, &r, g == GATHER_BAD);
	}
	/* Who has nothing to send saves nothing for later. */
	v->deficit_bytes = MIN(v->deficit_bytes, 0);
	return false;
}

/* A turn, and whether the guest has posted more since. */
static bool serve(struct vif *v)
{
	struct ring_head *head = &v->tx->head;
	u32 prod = __atomic_load_n(&head->req_prod, __ATOMIC_ACQUIRE);

	if (prod - v->tx_rsp > RING_ENTRIES) {
		broken(v);
		return false;
	}
	if (take_turn(v, prod))
		return true;
	if (v->tx_broken)
		return false;
	/* Seen by the guest before we look for what it has posted since. */
	__atomic_store_n(&head->req_event, prod + 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&head->req_prod, __ATOMIC_SEQ_CST) != prod;
}

void tx_run(struct work *w)
{
	struct vif *v = container_of(w, struct vif, work);
	struct uplink *u = switch_uplink();
	bool more = false, kick;

	net_read_lock();
	spin_lock(&v->tx_lock);
	tx_reap(v);
	if (v->connected && !v->tx_broken)
		more = serve(v);
	if (v->connected)
		tx_publish(v);
	kick = v->unkicked;
	v->unkicked = false;
	spin_unlock(&v->tx_lock);
	net_read_unlock();
	if (kick)
		u->driver->kick(u);
	if (more)
		work_queue(w);
}
