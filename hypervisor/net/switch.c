// SPDX-License-Identifier: Apache-2.0
/*
 * The switch (contract in switch.h). Its lists are singly linked and changed by
 * single stores, so that a look-up sees each with or without an element. A
 * look-up holds only its own CPU's lock; waiting for look-ups is taking each of
 * these locks once.
 */
#include "switch.h"

#include <hv/errno.h>
#include <hv/lock.h>
#include <hv/meter.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#include "redirect.h"
#include "rule_table.h"

#define BUCKETS 1024U
#define DHCP_SERVER_PORT 67
#define DHCP_CLIENT_PORT 68
#define DHCPV6_SERVER_PORT 547
#define DHCPV6_CLIENT_PORT 546

/* What one delivery takes, and one VIF that gets none. */
#define DELIVER_STEPS 15U
#define DELIVER_BYTES_PER_STEP 256U
#define SKIPPED_PER_STEP 8U

static struct {
	struct spinlock lock;
	u32 steps; /* spent in this look-up; its CPU's own */
} ALIGNED(64) readers[MAX_CPUS] = {
	[0 ... MAX_CPUS - 1] = { .lock = SPINLOCK_INIT(RANK_NET_READ) },
};

static struct vif *by_mac[BUCKETS];
static struct vif_address *by_address[BUCKETS];
/* All VIFs, those with ANY_SOURCE first. */
static struct vif *all;
static u32 vif_count, dhcp_servers;

void net_read_lock(void)
{
	unsigned int cpu = cpu_id();

	spin_lock(&readers[cpu].lock);
	readers[cpu].steps = 0;
}

void net_read_unlock(void)
{
	spin_unlock(&readers[cpu_id()].lock);
}

void net_spend(u32 steps)
{
	readers[cpu_id()].steps += steps;
}

u32 net_spent(void)
{
	return readers[cpu_id()].steps;
}

void net_synchronize(void)
{
	for (unsigned int i = 0; i < cpu_count; i++) {
		spin_lock(&readers[i].lock);
		spin_unlock(&readers[i].lock);
	}
}

/* ---- who is there ---- */

static u32 bucket(u64 word)
{
	return (u32)(word * 0x9e3779b97f4a7c15UL >> 48) % BUCKETS;
}

static struct vif **mac_bucket(const u8 *mac)
{
	return &by_mac[bucket(mac_word(mac))];
}

static struct vif_address **address_bucket(const union net_address *a)
{
	return &by_address[bucket(a->halves[0] ^ a->halves[1] * 31)];
}

static struct vif *find_mac(const u8 *mac)
{
	struct vif *v = __atomic_load_n(mac_bucket(mac), __ATOMIC_ACQUIRE);

	while (v && mac_word(v->mac) != mac_word(mac))
		v = __atomic_load_n(&v->mac_next, __ATOMIC_ACQUIRE);
	return v;
}

/* IPv4 addresses differ from IPv6 ones: no such IPv6 address is in use. */
static struct vif *find_address(const union net_address *a)
{
	struct vif_address *e =
		__atomic_load_n(address_bucket(a), __ATOMIC_ACQUIRE);

	while (e && !address_equal(&e->address, a))
		e = __atomic_load_n(&e->next, __ATOMIC_ACQUIRE);
	return e ? e->vif : NULL;
}

static bool any_taken(const struct vif_address *list, u32 count)
{
	for (u32 i = 0; i < count; i++)
		if (find_address(&list[i].address))
			return true;
	return false;
}

static void add_addresses(struct vif *v, struct vif_address *list, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		struct vif_address **head = address_bucket(&list[i].address);

		list[i].vif = v;
		list[i].next = *head;
		__atomic_store_n(head, &list[i], __ATOMIC_RELEASE);
	}
}

static void remove_addresses(struct vif_address *list, u32 count)
{
	for (u32 i = 0; i < count; i++) {
		struct vif_address **link = address_bucket(&list[i].address);

		while (*link != &list[i])
			link = &(*link)->next;
		__atomic_store_n(link, list[i].next, __ATOMIC_RELEASE);
	}
}

int switch_add(struct vif *v)
{
	struct vif **link = &all;

	if (vif_count == SWITCH_VIFS_MAX)
		return -ENOSPC;
	if (find_mac(v->mac) || any_taken(v->ipv4, v->ipv4_count) ||
	    any_taken(v->ipv6, v->ipv6_count))
		return -EEXIST;
	vif_count++;
	dhcp_servers += !!(v->flags & XENO_VIF_DHCP_SERVER);
	v->mac_next = *mac_bucket(v->mac);
	__atomic_store_n(mac_bucket(v->mac), v, __ATOMIC_RELEASE);
	add_addresses(v, v->ipv4, v->ipv4_count);
	add_addresses(v, v->ipv6, v->ipv6_count);
	if (!(v->flags & XENO_VIF_ANY_SOURCE))
		while (*link && ((*link)->flags & XENO_VIF_ANY_SOURCE))
			link = &(*link)->all_next;
	v->all_next = *link;
	__atomic_store_n(link, v, __ATOMIC_RELEASE);
	return 0;
}

void switch_remove(struct vif *v)
{
	struct vif **link = mac_bucket(v->mac);

	while (*link != v)
		link = &(*link)->mac_next;
	__atomic_store_n(link, v->mac_next, __ATOMIC_RELEASE);
	remove_addresses(v->ipv4, v->ipv4_count);
	remove_addresses(v->ipv6, v->ipv6_count);
	for (link = &all; *link != v; link = &(*link)->all_next)
		;
	__atomic_store_n(link, v->all_next, __ATOMIC_RELEASE);
	vif_count--;
	dhcp_servers -= !!(v->flags & XENO_VIF_DHCP_SERVER);
	net_synchronize();
}

/* ---- one receiver ---- */

static void to_vif(struct vif *sender, struct vif *v, struct net_packet *p)
{
	struct meter_account *before = NULL;
	const struct rule_verdict *verdict =
		rules_decide(&p->key, v->interface, true, p->total_bytes);
	u32 parts = p->offload.flags & PACKET_GSO ? gso_count(p) : 1;

	net_spend(DELIVER_STEPS * parts +
		  p->total_bytes / DELIVER_BYTES_PER_STEP);
	if (verdict && verdict->action == XENO_RULE_DROP) {
		rx_count_drop(v, XENO_DROP_RULE);
		return;
	}
	/* A sender pays for what it does to others; the card's driver cannot.
	 */
	if (!sender)
		before = meter_switch(v->work.account, clock_now_ns());
	rx_deliver(v, p);
	if (!sender)
		(void)meter_switch(before, clock_now_ns());
}

static int to_uplink(struct vif *sender, struct net_packet *p,
		     struct tx_request *slots)
{
	const struct rule_verdict *verdict;

	if (!switch_uplink())
		return XENO_DROP_UPLINK;
	redirect_out(sender, p);
	verdict = rules_decide(&p->key, INTERFACE_UPLINK, true, p->total_bytes);
	if (verdict && verdict->action == XENO_RULE_DROP)
		return XENO_DROP_RULE;
	return tx_to_uplink(sender, p, slots);
}

/* ---- many ---- */

static bool is_udp(const struct packet_key *k, u16 ipv4_port, u16 ipv6_port)
{
	return k->protocol == IP_UDP && (k->flags & KEY_PORTS) &&
	       k->target_port == (k->family == 4 ? ipv4_port : ipv6_port);
}

/* Whose address a question is about; NULL: nobody's, or none. */
static const union net_address *asked_for(const struct packet_key *k)
{
	if ((k->flags & KEY_ARP) && k->arp_op == ARP_REQUEST)
		return &k->target;
	if ((k->flags & KEY_ND) && k->icmp_type == ICMPV6_NEIGHBOUR_SOLICIT)
		return &k->nd_target;
	return NULL;
}

/* The flags of which a VIF needs one to get a copy; 0: all get one. */
static u32 flood_to(const struct vif *sender, const struct packet_key *k)
{
	bool served = READ_ONCE(dhcp_servers) != 0;

	if (served &&
	    is_udp(k, sender ? DHCP_SERVER_PORT : DHCP_CLIENT_PORT,
		   sender ? DHCPV6_SERVER_PORT : DHCPV6_CLIENT_PORT) &&
	    !(sender && (sender->flags & XENO_VIF_DHCP_SERVER)))
		return XENO_VIF_DHCP_SERVER;
	/* Who has an address that we know has been asked alone. */
	return asked_for(k) ? XENO_VIF_ANY_SOURCE : 0;
}

/* Copies to VIFs; true: at least one was to get it. */
static bool flood(struct vif *sender, struct net_packet *p, u32 flags)
{
	struct vif *v = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
	u32 copies = 0, skipped = 0, limit = net_spent() + FLOOD_STEPS;

	for (; v && copies < FLOOD_COPIES_MAX && net_spent() < limit;
	     v = __atomic_load_n(&v->all_next, __ATOMIC_ACQUIRE)) {
		if (v == sender || (flags && !(v->flags & flags))) {
			skipped++;
			continue;
		}
		to_vif(sender, v, p);
		copies++;
	}
	net_spend(skipped / SKIPPED_PER_STEP);
	return copies;
}

static int to_many(struct vif *sender, struct net_packet *p,
		   struct tx_request *slots)
{
	const union net_address *asked = asked_for(&p->key);
	struct vif *v = asked ? find_address(asked) : NULL;
	u32 flags;
	bool any;
	int why;

	/* About itself it tells everybody. */
	if (v && v != sender) {
		to_vif(sender, v, p);
		return DROP_NONE;
	}
	flags = v ? 0 : flood_to(sender, &p->key);
	any = flood(sender, p, flags);
	if (!sender || flags == XENO_VIF_DHCP_SERVER)
		return any ? DROP_NONE : XENO_DROP_NO_ROUTE;
	why = to_uplink(sender, p, slots);
	return any ? DROP_NONE : why;
}

int switch_forward(struct vif *sender, struct net_packet *p,
		   struct tx_request *slots)
{
	struct vif *v;

	if (mac_is_multicast(p->key.target_mac))
		return to_many(sender, p, slots);
	v = find_mac(p->key.target_mac);
	if (v == sender)
		return XENO_DROP_NO_ROUTE;
	if (!v)
		return to_uplink(sender, p, slots);
	to_vif(sender, v, p);
	return DROP_NONE;
}

/* Answers of DHCP are the server's among us alone. */
static bool foreign_dhcp(const struct packet_key *k, const struct vif *to)
{
	return READ_ONCE(dhcp_servers) && !(to->flags & XENO_VIF_DHCP_SERVER) &&
	       is_udp(k, DHCP_CLIENT_PORT, DHCPV6_CLIENT_PORT);
}

void switch_from_uplink(struct net_packet *p)
{
	struct vif *v;

	if (mac_is_multicast(p->key.target_mac)) {
		(void)to_many(NULL, p, NULL);
		return;
	}
	v = find_mac(p->key.target_mac);
	if (!v)
		return;
	if (foreign_dhcp(&p->key, v))
		rx_count_drop(v, XENO_DROP_SPOOFED);
	else
		to_vif(NULL, v, p);
}
