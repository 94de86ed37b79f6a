// SPDX-License-Identifier: Apache-2.0
/*
 * The life of a VIF: created, connected to a front end's rings, disconnected
 * when the card has given back all of its pages, destroyed. All of it under the
 * control lock.
 */
#include "vif.h"

#include <hv/errno.h>
#include <hv/grant.h>
#include <hv/mm.h>
#include <hv/net.h>

#include "redirect.h"
#include "switch.h"

#define FEATURES                                                               \
	(XENO_VIF_SG | XENO_VIF_GSO_TCPV4 | XENO_VIF_GSO_TCPV6 |               \
	 XENO_VIF_CSUM_BLANK | XENO_VIF_CSUM_BLANK_V6)
#define HEADROOM_MAX 256
/* Of a call's budget, for one VIF. */
#define DESTROY_COST 32

struct vif *vif_find(const struct domain *d, u32 number)
{
	const struct net_state *n = READ_ONCE(d->net);

	return n && number < XENO_VIFS_PER_DOMAIN ? READ_ONCE(n->vif[number])
						  : NULL;
}

/* ---- creation ---- */

static int check_create(const struct domain *d,
			const struct xeno_vif_create *op)
{
	if (op->mbz || op->vif >= XENO_VIFS_PER_DOMAIN ||
	    op->ipv4_count > XENO_VIF_IPV4_MAX ||
	    op->ipv6_count > XENO_VIF_IPV6_MAX ||
	    (op->flags & ~(XENO_VIF_ANY_SOURCE | XENO_VIF_DHCP_SERVER)))
		return -EINVAL;
	if ((op->flags & XENO_VIF_ANY_SOURCE) && !d->privileged)
		return -EINVAL;
	if (mac_is_multicast(op->mac) || !mac_word(op->mac))
		return -EINVAL;
	return 0;
}

/* False: one is no host's, or is there twice. */
static bool set_addresses(struct vif_address *list, const u8 *from, u32 count,
			  u32 bytes)
{
	for (u32 i = 0; i < count; i++, from += bytes) {
		memcpy(list[i].address.bytes, from, bytes);
		if (address_is_zero(&list[i].address))
			return false;
		if (bytes == 4 ? (from[0] >= 224 || from[0] == 127)
			       : from[0] == 0xff)
			return false;
		for (u32 j = 0; j < i; j++)
			if (address_equal(&list[i].address, &list[j].address))
				return false;
	}
	return true;
}

static bool init(struct vif *v, struct domain *d,
		 const struct xeno_vif_create *op)
{
	v->domain = d;
	v->number = op->vif;
	v->interface = interface_of(d->id, (u16)op->vif);
	v->flags = op->flags;
	memcpy(v->mac, op->mac, 6);
	v->ipv4_count = op->ipv4_count;
	v->ipv6_count = op->ipv6_count;
	address_link_local(&v->link_local, v->mac);
	spin_init(&v->tx_lock, RANK_NET_TX);
	spin_init(&v->rx_lock, RANK_NET_RX);
	spin_init(&v->flow_lock, RANK_NET_FLOW);
	work_init(&v->work, tx_run, &d->vcpus[0]->meter);
	return set_addresses(v->ipv4, op->ipv4[0], op->ipv4_count, 4) &&
	       set_addresses(v->ipv6, op->ipv6[0], op->ipv6_count, 16);
}

int net_vif_create(struct domain *d, const struct xeno_vif_create *op)
{
	int err = check_create(d, op);
	struct vif *v;

	if (err)
		return err;
	if (vif_find(d, op->vif))
		return -EEXIST;
	if (!d->net)
		d->net = state_page_alloc(&d->owner);
	if (!d->net)
		return -ENOMEM;
	v = state_page_alloc(&d->owner);
	if (!v)
		return -ENOMEM;
	err = init(v, d, op) ? switch_add(v) : -EINVAL;
	if (err) {
		state_page_free(&d->owner, v);
		return err;
	}
	v->meter = domain_meter_vif_get(d, op->vif);
	WRITE_ONCE(d->net->vif[op->vif], v);
	return 0;
}

/* ---- connection ---- */

static void tx_notify(struct event_backend *b)
{
	work_queue(&container_of(b, struct vif, tx_event)->work);
}

/* Posted pages are looked at when there is a packet for them. */
static void rx_notify(struct event_backend *b)
{
	(void)b;
}

static int get_ring(struct vif *v, u32 ref, struct frame **frame, void **ring,
		    u32 *start)
{
	struct ring_head *head;
	struct frame *f;

	if (grant_acquire(v->domain, DOMID_BACKEND, ref, true, &f))
		return -EINVAL;
	head = mfn_to_virt(frame_mfn(f));
	*start = READ_ONCE(head->rsp_prod);
	if (READ_ONCE(head->req_prod) - *start > RING_ENTRIES) {
		grant_release(v->domain, ref, true, f);
		return -EINVAL;
	}
	*ring = head;
	*frame = f;
	return 0;
}

static int bind(struct vif *v, const struct xeno_vif_connect *op)
{
	int err = event_backend_bind(&v->tx_event, v->domain, op->tx_port,
				     tx_notify);

	v->rx_notify = &v->tx_event;
	if (err || op->rx_port == op->tx_port)
		return err;
	v->rx_notify = &v->rx_event;
	err = event_backend_bind(&v->rx_event, v->domain, op->rx_port,
				 rx_notify);
	if (err)
		event_backend_unbind(&v->tx_event);
	return err;
}

static int get_rings(struct vif *v, const struct xeno_vif_connect *op)
{
	void *tx, *rx;
	int err = get_ring(v, op->tx_ref, &v->tx_frame, &tx, &v->tx_cons);

	if (err)
		return err;
	err = get_ring(v, op->rx_ref, &v->rx_frame, &rx, &v->rx_cons);
	if (err) {
		grant_release(v->domain, op->tx_ref, true, v->tx_frame);
		v->tx_frame = NULL;
		return err;
	}
	v->tx = tx;
	v->rx = rx;
	v->tx_ref = op->tx_ref;
	v->rx_ref = op->rx_ref;
	v->tx_rsp = v->tx_shown = v->tx_cons;
	v->rx_shown = v->rx_cons;
	return 0;
}

static void put_rings(struct vif *v)
{
	grant_release(v->domain, v->tx_ref, true, v->tx_frame);
	grant_release(v->domain, v->rx_ref, true, v->rx_frame);
	v->tx_frame = v->rx_frame = NULL;
	v->tx = NULL;
	v->rx = NULL;
}

static void set_connected(struct vif *v, bool connected)
{
	spin_lock(&v->tx_lock);
	spin_lock(&v->rx_lock);
	v->connected = connected;
	v->tx_broken = v->rx_broken = false;
	v->deficit_bytes = 0;
	spin_unlock(&v->rx_lock);
	spin_unlock(&v->tx_lock);
}

int net_vif_connect(struct domain *d, const struct xeno_vif_connect *op)
{
	struct vif *v = vif_find(d, op->vif);
	int err;

	if (!v)
		return -ENOENT;
	if ((op->features & ~FEATURES) || op->rx_headroom > HEADROOM_MAX)
		return -EINVAL;
	/* Its rings are there until a disconnection is complete. */
	if (v->tx_frame)
		return -EBUSY;
	err = get_rings(v, op);
	if (err)
		return err;
	v->features = op->features;
	v->rx_headroom = op->rx_headroom;
	err = bind(v, op);
	if (err) {
		put_rings(v);
		return err;
	}
	set_connected(v, true);
	work_queue(&v->work);
	return 0;
}

/* -EBUSY: the card still has some of its packets. */
static int disconnect(struct vif *v)
{
	if (!v->tx_frame)
		return 0;
	set_connected(v, false);
	event_backend_unbind(&v->tx_event);
	event_backend_unbind(&v->rx_event);
	/* One step with the count: who takes the last one sees that he is
	 * waited for, or we see that it is gone. */
	if (__atomic_fetch_or(&v->in_flight, IN_FLIGHT_WAITED,
			      __ATOMIC_SEQ_CST) &
	    ~IN_FLIGHT_WAITED)
		return -EBUSY;
	__atomic_store_n(&v->in_flight, 0, __ATOMIC_RELAXED);
	spin_lock(&v->tx_lock);
	tx_reap(v);
	tx_pieces_free(v);
	spin_unlock(&v->tx_lock);
	put_rings(v);
	return 0;
}

int net_vif_disconnect(struct domain *d, u32 number)
{
	struct vif *v = vif_find(d, number);

	if (!v)
		return -ENOENT;
	/* The card's interrupts come between two calls. */
	return disconnect(v) ? -ERESTART : 0;
}

/* ---- the end ---- */

static int destroy(struct vif *v)
{
	struct domain *d = v->domain;
	int err = disconnect(v);

	if (err)
		return err;
	WRITE_ONCE(d->net->vif[v->number], NULL);
	switch_remove(v);
	work_cancel(&v->work);
	redirect_free(v);
	domain_meter_vif_put(v->meter);
	state_page_free(&d->owner, v);
	return 0;
}

int net_vif_destroy(struct domain *d, u32 number)
{
	struct vif *v = vif_find(d, number);

	if (!v)
		return -ENOENT;
	return destroy(v) ? -ERESTART : 0;
}

int net_domain_exit(struct domain *d, int *budget)
{
	struct net_state *n = d->net;
	int err;

	if (!n)
		return 0;
	for (u32 i = 0; i < XENO_VIFS_PER_DOMAIN; i++) {
		if (!n->vif[i])
			continue;
		if (*budget <= 0)
			return -ERESTART;
		*budget -= DESTROY_COST;
		err = destroy(n->vif[i]);
		if (err)
			return err;
	}
	d->net = NULL;
	net_synchronize();
	state_page_free(&d->owner, n);
	return 0;
}

/* ---- what it has done ---- */

int net_vif_info(struct domain *d, struct xeno_vif_info *op)
{
	struct vif *v = vif_find(d, op->vif);

	if (!v)
		return -ENOENT;
	op->flags = v->flags;
	memcpy(op->mac, v->mac, sizeof(op->mac));
	memset(op->pad, 0, sizeof(op->pad));
	spin_lock(&v->tx_lock);
	op->connected = v->connected;
	op->tx_packets = v->meter->tx_packets;
	op->tx_bytes = v->meter->tx_bytes;
	memcpy(op->tx_drops, v->meter->tx_drops, sizeof(op->tx_drops));
	spin_unlock(&v->tx_lock);
	spin_lock(&v->rx_lock);
	op->rx_packets = v->meter->rx_packets;
	op->rx_bytes = v->meter->rx_bytes;
	memcpy(op->rx_drops, v->meter->rx_drops, sizeof(op->rx_drops));
	spin_unlock(&v->rx_lock);
	return 0;
}
