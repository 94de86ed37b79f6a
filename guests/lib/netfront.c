/* SPDX-License-Identifier: Apache-2.0 */
/*
 * netfront.c - see netfront.h.
 */
#include "netfront.h"

#define REFS_PER_VIF 80u

long net_control(void *op, u32 number, u32 version, u32 size)
{
	struct xeno_envelope *head = op;

	*head = (struct xeno_envelope){ version, number, size, 0 };
	return hypercall(XENO_HYPERVISOR_CONTROL, op);
}

static void *granted_page(u32 ref)
{
	void *page = alloc_page();
	struct grant_entry_v1 *e = &grant_table()[ref];

	e->domid = XENO_DOMAIN_BACKEND;
	e->frame = (u32)va_to_mfn(page);
	__atomic_store_n(&e->flags, GTF_permit_access, __ATOMIC_SEQ_CST);
	return page;
}

static void post(struct netfront *n)
{
	u32 i = n->rx_prod++;

	n->rx->slot[i % NET_RING].rx.id = i % NET_RING;
	n->rx->slot[i % NET_RING].rx.ref =
		n->first_ref + 2 + NET_PAGES + i % NET_PAGES;
	__atomic_store_n(&n->rx->req_prod, n->rx_prod, __ATOMIC_RELEASE);
}

static void create(struct netfront *n, u32 flags)
{
	struct xeno_vif_create op = { .vif = n->vif,
				      .flags = flags,
				      .ipv4_count = 1 };
	long rc;

	memcpy(op.mac, n->mac, 6);
	memcpy(op.ipv4[0], n->ip, 4);
	rc = net_control(&op, XENO_OP_VIF_CREATE, XENO_VIF_CREATE_VERSION,
			 sizeof(op));
	if (rc == -XEN_ENOSYS)
		skip("no virtual interfaces");
	check(!rc, "creating VIF %u: %ld", n->vif, rc);
}

void netfront_start(struct netfront *n, u32 vif, u32 flags, u32 features)
{
	struct xeno_vif_connect op = { .vif = vif, .features = features };
	const u8 mac[6] = { 2, 0, 0, 0, 0, (u8)(vif + 16) };
	const u8 ip[4] = { 10, 0, 2, (u8)(vif + 16) };

	memset(n, 0, sizeof(*n));
	n->vif = vif;
	n->first_ref = 8 + vif * REFS_PER_VIF;
	memcpy(n->mac, mac, 6);
	memcpy(n->ip, ip, 4);
	create(n, flags);
	n->tx = granted_page(n->first_ref);
	n->rx = granted_page(n->first_ref + 1);
	n->tx->req_event = n->tx->rsp_event = 1;
	n->rx->req_event = n->rx->rsp_event = 1;
	for (u32 i = 0; i < NET_PAGES; i++) {
		n->tx_page[i] = granted_page(n->first_ref + 2 + i);
		n->rx_page[i] = granted_page(n->first_ref + 2 + NET_PAGES + i);
	}
	n->port = (u32)alloc_unbound(DOMID_SELF, XENO_DOMAIN_BACKEND);
	op.tx_ref = n->first_ref;
	op.rx_ref = n->first_ref + 1;
	op.tx_port = op.rx_port = n->port;
	check_eq(net_control(&op, XENO_OP_VIF_CONNECT, XENO_VIF_CONNECT_VERSION,
			     sizeof(op)),
		 0);
	for (u32 i = 0; i < NET_PAGES; i++)
		post(n);
}

void netfront_stop(struct netfront *n)
{
	struct xeno_vif_name op = { .vif = n->vif };

	check_eq(net_control(&op, XENO_OP_VIF_DESTROY, XENO_VIF_DESTROY_VERSION,
			     sizeof(op)),
		 0);
}

struct xeno_vif_info netfront_info(const struct netfront *n)
{
	struct xeno_vif_info op = { .vif = n->vif };

	check_eq(net_control(&op, XENO_OP_VIF_INFO, XENO_VIF_INFO_VERSION,
			     sizeof(op)),
		 0);
	return op;
}

void netfront_put(struct netfront *n, const struct net_frame *f, u32 chunk,
		  u16 flags)
{
	for (u32 at = 0; at < f->bytes;) {
		u32 i = n->tx_prod++, page = i % NET_PAGES;
		u32 left = f->bytes - at, part = left < chunk ? left : chunk;

		memcpy(n->tx_page[page], f->data + at, part);
		n->tx->slot[i % NET_RING].tx.ref = n->first_ref + 2 + page;
		n->tx->slot[i % NET_RING].tx.offset = 0;
		n->tx->slot[i % NET_RING].tx.id = (u16)i;
		n->tx->slot[i % NET_RING].tx.size = (u16)(at ? part : f->bytes);
		n->tx->slot[i % NET_RING].tx.flags =
			(u16)((at ? 0 : flags) | (part < left ? NET_MORE : 0));
		at += part;
	}
}

void netfront_kick(struct netfront *n)
{
	__atomic_store_n(&n->tx->req_prod, n->tx_prod, __ATOMIC_RELEASE);
	check_eq(send_event(n->port), 0);
}

void netfront_send(struct netfront *n, const struct net_frame *f)
{
	netfront_put(n, f, PAGE_SIZE, 0);
	netfront_kick(n);
}

void netfront_reap(struct netfront *n)
{
	while (n->tx_seen != READ_ONCE(n->tx->rsp_prod)) {
		short status =
			n->tx->slot[n->tx_seen++ % NET_RING].tx_answer.status;

		n->errors += status == -1;
		n->dropped += status == -2;
	}
}

static bool arrived(const struct netfront *n, u64 wait_ns)
{
	u64 end = now_ns() + wait_ns;

	while (READ_ONCE(n->rx->rsp_prod) == n->rx_seen) {
		if (now_ns() >= end)
			return false;
		/* Leaves the CPU to whoever brings packets. */
		xen_version(XENVER_version, NULL);
	}
	return true;
}

bool netfront_receive(struct netfront *n, struct net_frame *f, u16 *flags,
		      u64 wait_ns)
{
	u16 last = NET_MORE;

	f->bytes = 0;
	if (!arrived(n, wait_ns))
		return false;
	for (bool first = true; last & NET_MORE; first = false) {
		u32 i = n->rx_seen++;
		u16 offset = n->rx->slot[i % NET_RING].rx_answer.offset;
		short status = n->rx->slot[i % NET_RING].rx_answer.status;

		check(n->rx->slot[i % NET_RING].rx_answer.id == i % NET_RING,
		      "answer %u is for another request", i);
		check(status > 0 && offset + status <= (int)PAGE_SIZE &&
			      f->bytes + (u32)status <= sizeof(f->data),
		      "answer %u: offset %u status %d", i, offset, status);
		last = n->rx->slot[i % NET_RING].rx_answer.flags;
		if (first && flags)
			*flags = last;
		memcpy(f->data + f->bytes, n->rx_page[i % NET_PAGES] + offset,
		       (u32)status);
		f->bytes += (u32)status;
		post(n);
	}
	return true;
}

/* ---- packets ---- */

static void put16(u8 *p, u32 v)
{
	p[0] = (u8)(v >> 8);
	p[1] = (u8)v;
}

static u32 sum(const u8 *p, u32 bytes, u32 start)
{
	for (u32 i = 0; i < bytes; i++) {
		start += i & 1 ? p[i] : (u32)p[i] << 8;
		start = (start & 0xffff) + (start >> 16);
	}
	return start;
}

static u32 transport_sum(const struct net_frame *f)
{
	u32 bytes = (u32)(f->data[16] << 8 | f->data[17]) - 20;
	u32 s = sum(f->data + 26, 8, f->data[23] + bytes);

	return sum(f->data + 34, bytes, s);
}

void frame_ip(struct net_frame *f, const struct frame_head *h, u32 payload)
{
	u32 head = h->protocol == 6 ? 20 : 8;
	u8 *ip = f->data + 14, *l4 = f->data + 34;

	memset(f->data, 0, 64);
	memcpy(f->data, h->to_mac, 6);
	memcpy(f->data + 6, h->from_mac, 6);
	put16(f->data + 12, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, 20 + head + payload);
	ip[8] = 64;
	ip[9] = h->protocol;
	memcpy(ip + 12, h->from, 4);
	memcpy(ip + 16, h->to, 4);
	put16(ip + 10, ~sum(ip, 20, 0));
	put16(l4, h->from_port);
	put16(l4 + 2, h->to_port);
	if (h->protocol == 6)
		l4[12] = 0x50;
	else
		put16(l4 + 4, 8 + payload);
	for (u32 i = 0; i < payload; i++)
		l4[head + i] = (u8)(i * 13 + payload);
	f->bytes = 34 + head + payload;
	put16(l4 + (h->protocol == 6 ? 16 : 6), ~transport_sum(f));
}

void frame_arp(struct net_frame *f, const u8 *from_mac, u16 op,
	       const u8 *sender_mac, const u8 *sender, const u8 *target)
{
	static const u8 head[8] = { 8, 6, 0, 1, 8, 0, 6, 4 };

	memset(f->data, 0, 64);
	memset(f->data, 0xff, 6);
	memcpy(f->data + 6, from_mac, 6);
	memcpy(f->data + 12, head, 8);
	put16(f->data + 20, op);
	memcpy(f->data + 22, sender_mac, 6);
	memcpy(f->data + 28, sender, 4);
	memcpy(f->data + 38, target, 4);
	f->bytes = 42;
}

bool frame_good(const struct net_frame *f)
{
	return sum(f->data + 14, 20, 0) == 0xffff && transport_sum(f) == 0xffff;
}

bool frame_same(const struct net_frame *a, const struct net_frame *b)
{
	return a->bytes == b->bytes && !memcmp(a->data, b->data, a->bytes);
}
