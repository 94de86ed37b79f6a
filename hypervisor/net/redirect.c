// SPDX-License-Identifier: Apache-2.0
/* Redirected flows (contract in redirect.h). */
#include "redirect.h"

#include <hv/mm.h>
#include <hv/string.h>

#include "checksum.h"

#define FLOW_NONE 0xffffU
#define FLOW_BUCKETS 512U
#define FLOW_PAGES 8U

/* Known by the guest's side of it: that is how an answer looks. */
struct flow {
	union net_address client, guest, node;
	u16 client_port, guest_port, node_port;
	u8 node_mac[6];
	u8 protocol, family;
	u16 next;         /* in its bucket */
	u16 older, newer; /* in the order of use */
};

#define FLOWS_PER_PAGE ((u32)(PAGE_SIZE / sizeof(struct flow)))

_Static_assert(FLOWS_PER_PAGE *FLOW_PAGES >= FLOWS_PER_VIF, "all fit");

struct flow_table {
	struct flow *pages[FLOW_PAGES];
	u32 count;
	u16 oldest, newest;
	u16 buckets[FLOW_BUCKETS];
};

_Static_assert(sizeof(struct flow_table) <= PAGE_SIZE, "one state page");

static struct flow *flow_at(const struct flow_table *t, u16 i)
{
	return &t->pages[i / FLOWS_PER_PAGE][i % FLOWS_PER_PAGE];
}

static u16 *bucket_of(struct flow_table *t, const struct flow *f)
{
	u64 h = f->client.halves[0] ^ f->client.halves[1] * 31 ^
		f->guest.halves[0] * 17 ^ f->guest.halves[1] * 13;

	h ^= (u64)f->client_port << 24 ^ (u64)f->guest_port << 8 ^ f->protocol;
	h *= 0x9e3779b97f4a7c15UL;
	return &t->buckets[(h >> 40) % FLOW_BUCKETS];
}

static bool same(const struct flow *a, const struct flow *b)
{
	return a->client_port == b->client_port &&
	       a->guest_port == b->guest_port && a->protocol == b->protocol &&
	       a->family == b->family &&
	       address_equal(&a->client, &b->client) &&
	       address_equal(&a->guest, &b->guest);
}

static u16 find(struct flow_table *t, const struct flow *key)
{
	u16 i = *bucket_of(t, key);

	while (i != FLOW_NONE && !same(flow_at(t, i), key))
		i = flow_at(t, i)->next;
	return i;
}

/* ---- order of use ---- */

static void order_remove(struct flow_table *t, u16 i)
{
	struct flow *f = flow_at(t, i);

	if (f->newer != FLOW_NONE)
		flow_at(t, f->newer)->older = f->older;
	else
		t->newest = f->older;
	if (f->older != FLOW_NONE)
		flow_at(t, f->older)->newer = f->newer;
	else
		t->oldest = f->newer;
}

static void order_add(struct flow_table *t, u16 i)
{
	struct flow *f = flow_at(t, i);

	f->newer = FLOW_NONE;
	f->older = t->newest;
	if (t->newest != FLOW_NONE)
		flow_at(t, t->newest)->newer = i;
	else
		t->oldest = i;
	t->newest = i;
}

/* ---- room ---- */

static struct flow_table *table_of(struct vif *v)
{
	struct flow_table *t = v->flows;

	if (t)
		return t;
	t = state_page_alloc(&v->domain->owner);
	if (!t)
		return NULL;
	t->oldest = t->newest = FLOW_NONE;
	for (u32 i = 0; i < FLOW_BUCKETS; i++)
		t->buckets[i] = FLOW_NONE;
	WRITE_ONCE(v->flows, t);
	return t;
}

static void bucket_remove(struct flow_table *t, u16 i)
{
	u16 *link = bucket_of(t, flow_at(t, i));

	while (*link != i)
		link = &flow_at(t, *link)->next;
	*link = flow_at(t, i)->next;
}

/* A flow that is in no list: a new one, or the one unused for longest. */
static u16 take(struct vif *v, struct flow_table *t)
{
	struct flow **page = &t->pages[t->count / FLOWS_PER_PAGE % FLOW_PAGES];
	u16 i = t->oldest;

	if (t->count < FLOWS_PER_VIF && !*page)
		*page = state_page_alloc(&v->domain->owner);
	if (t->count < FLOWS_PER_VIF && *page)
		return (u16)t->count++;
	if (i != FLOW_NONE) {
		order_remove(t, i);
		bucket_remove(t, i);
	}
	return i;
}

static bool remember(struct vif *v, const struct flow *f)
{
	struct flow_table *t = table_of(v);
	u16 i, *bucket;

	if (!t)
		return false;
	i = find(t, f);
	if (i != FLOW_NONE) {
		struct flow *known = flow_at(t, i);

		order_remove(t, i);
		known->node = f->node;
		known->node_port = f->node_port;
		memcpy(known->node_mac, f->node_mac, 6);
	} else {
		i = take(v, t);
		if (i == FLOW_NONE)
			return false;
		bucket = bucket_of(t, f);
		*flow_at(t, i) = *f;
		flow_at(t, i)->next = *bucket;
		*bucket = i;
	}
	order_add(t, i);
	return true;
}

/* ---- packets ---- */

void packet_rewrite(struct net_packet *p, bool source,
		    const union net_address *address, u16 port)
{
	struct packet_key *k = &p->key;
	u8 *ip = p->header + k->l3_offset, *l4 = p->header + k->l4_offset;
	u8 *csum = l4 + (k->protocol == IP_TCP ? 16 : 6);
	bool partial = p->offload.flags & PACKET_CSUM_BLANK;
	u32 bytes = k->family == 4 ? 4 : 16;
	u8 *where = ip + (k->family == 4 ? 12 : 8) + (source ? 0 : bytes);
	u8 *port_at = l4 + (source ? 0 : 2), fresh_port[2];
	/* UDP over IPv4 may go without. */
	bool has_csum = partial || k->protocol != IP_UDP || csum[0] || csum[1];

	put_be16(fresh_port, port);
	if (k->family == 4)
		checksum_replace(ip + 10, where, address->bytes, bytes, false);
	if (has_csum)
		checksum_replace(csum, where, address->bytes, bytes, partial);
	/* A plain sum is of the pseudo header, which has no ports. */
	if (has_csum && !partial)
		checksum_replace(csum, port_at, fresh_port, 2, false);
	if (has_csum && !partial && k->protocol == IP_UDP && !csum[0] &&
	    !csum[1])
		csum[0] = csum[1] = 0xff;
	memcpy(where, address->bytes, bytes);
	memcpy(port_at, fresh_port, 2);
	*(source ? &k->source : &k->target) = *address;
	*(source ? &k->source_port : &k->target_port) = port;
}

bool redirect_in(struct vif *v, const struct rule_redirect *to,
		 struct net_packet *p)
{
	struct packet_key *k = &p->key;
	struct flow f = {
		.client = k->source,
		.guest = to->address,
		.node = k->target,
		.client_port = k->source_port,
		.guest_port = to->port,
		.node_port = k->target_port,
		.protocol = k->protocol,
		.family = k->family,
	};
	bool known;

	if (k->flags & KEY_FRAGMENT)
		return false;
	memcpy(f.node_mac, k->target_mac, 6);
	spin_lock(&v->flow_lock);
	known = remember(v, &f);
	spin_unlock(&v->flow_lock);
	if (!known)
		return false;
	packet_rewrite(p, false, &to->address, to->port);
	memcpy(p->header, v->mac, 6);
	memcpy(k->target_mac, v->mac, 6);
	return true;
}

void redirect_out(struct vif *v, struct net_packet *p)
{
	struct packet_key *k = &p->key;
	struct flow key = {
		.client = k->target,
		.guest = k->source,
		.client_port = k->target_port,
		.guest_port = k->source_port,
		.protocol = k->protocol,
		.family = k->family,
	};
	struct flow found;
	u16 i;

	if (!READ_ONCE(v->flows) || !(k->flags & KEY_PORTS) ||
	    (k->flags & KEY_FRAGMENT))
		return;
	spin_lock(&v->flow_lock);
	i = find(v->flows, &key);
	if (i != FLOW_NONE) {
		found = *flow_at(v->flows, i);
		order_remove(v->flows, i);
		order_add(v->flows, i);
	}
	spin_unlock(&v->flow_lock);
	if (i == FLOW_NONE)
		return;
	packet_rewrite(p, true, &found.node, found.node_port);
	memcpy(p->header + 6, found.node_mac, 6);
	memcpy(k->source_mac, found.node_mac, 6);
}

void redirect_free(struct vif *v)
{
	struct flow_table *t = v->flows;

	if (!t)
		return;
	for (u32 i = 0; i < FLOW_PAGES; i++)
		if (t->pages[i])
			state_page_free(&v->domain->owner, t->pages[i]);
	state_page_free(&v->domain->owner, t);
	v->flows = NULL;
}
