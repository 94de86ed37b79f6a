// SPDX-License-Identifier: Apache-2.0
/*
 * The uplink's port: what the first card receives goes through the rules, and
 * through redirection, to a VIF. Deciding about it is the card's driver's time;
 * delivering it is its receiver's.
 */
#include <hv/errno.h>
#include <hv/net.h>
#include <hv/uplink.h>

#include "redirect.h"
#include "rule_table.h"
#include "switch.h"

_Static_assert(sizeof(((struct uplink *)0)->name) ==
		       sizeof(((struct xeno_uplink_info *)0)->name),
	       "copied as a whole");

static struct uplink *first_uplink;

struct uplink *switch_uplink(void)
{
	return first_uplink;
}

/* False: it goes nowhere. */
static bool redirect(const struct rule_redirect *to, struct net_packet *p)
{
	struct domain *d = domain_find(to->domain_id);
	struct vif *v = d ? vif_find(d, to->vif) : NULL;

	if (!v)
		return false;
	if (redirect_in(v, to, p))
		return true;
	rx_count_drop(v, XENO_DROP_NO_ROUTE);
	return false;
}

static bool fill(struct net_packet *p, const void *data, u32 bytes,
		 const struct packet_offload *offload)
{
	p->total_bytes = bytes;
	p->header_bytes = MIN(bytes, PACKET_HEADER_BYTES);
	memcpy(p->header, data, p->header_bytes);
	p->piece_count = 0;
	if (bytes > p->header_bytes) {
		p->pieces[0] = (struct packet_piece){
			(const u8 *)data + p->header_bytes,
			bytes - p->header_bytes,
			OWNER_HV,
		};
		p->piece_count = 1;
	}
	p->offload = *offload;
	p->key.flags = 0;
	if (!packet_parse(p->header, bytes, offload->flags & PACKET_GSO,
			  &p->key))
		return false;
	if (offload->flags & PACKET_CSUM_BLANK) {
		u16 csum_offset = packet_csum_offset(&p->key);

		if (!csum_offset || csum_offset != offload->csum_offset ||
		    p->key.l4_offset != offload->csum_start)
			return false;
	}
	return !(offload->flags & PACKET_GSO) || gso_valid(p);
}

static u32 receive(struct uplink *u, const void *data, u32 bytes,
		   const struct packet_offload *offload)
{
	const struct rule_verdict *verdict;
	struct net_packet p;
	u32 steps;

	(void)u;
	if (!fill(&p, data, bytes, offload))
		return STEP_INSTRUCTIONS;
	net_read_lock();
	verdict = rules_decide(&p.key, INTERFACE_UPLINK, false, bytes);
	if (!verdict || verdict->action == XENO_RULE_ACCEPT ||
	    (verdict->action == XENO_RULE_REDIRECT &&
	     redirect(&verdict->redirect, &p)))
		switch_from_uplink(&p);
	steps = net_spent();
	net_read_unlock();
	return (1 + steps) * STEP_INSTRUCTIONS;
}

void net_init(void)
{
	first_uplink = uplink_find(0);
	if (first_uplink)
		__atomic_store_n(&first_uplink->receive, receive,
				 __ATOMIC_RELEASE);
}

int net_uplink_info(struct xeno_uplink_info *op)
{
	const struct uplink *u = uplink_find(op->uplink);

	if (op->mbz)
		return -EINVAL;
	if (!u)
		return -ENOENT;
	memcpy(op->mac, u->mac, sizeof(op->mac));
	op->mtu = u->mtu;
	op->link_up = u->link_up;
	memcpy(op->name, u->name, sizeof(op->name));
	op->rx_packets = READ_ONCE(u->rx_packets);
	op->rx_bytes = READ_ONCE(u->rx_bytes);
	op->rx_dropped = READ_ONCE(u->rx_dropped);
	op->tx_packets = READ_ONCE(u->tx_packets);
	op->tx_bytes = READ_ONCE(u->tx_bytes);
	op->tx_dropped = READ_ONCE(u->tx_dropped);
	return 0;
}
