// SPDX-License-Identifier: Apache-2.0
/*
 * Against spoofing: a VIF sends from its own MAC and addresses only, and says
 * in ARP and neighbour discovery nothing about others' (contract in vif.h).
 * What cannot be checked, tags and other protocols than IP and ARP, is refused.
 */
#include "vif.h"

#define DHCP_SERVER 67
#define DHCP_CLIENT 68
#define DHCPV6_SERVER 547

bool vif_owns(const struct vif *v, const union net_address *a, u8 family)
{
	const struct vif_address *list = family == 4 ? v->ipv4 : v->ipv6;
	u32 count = family == 4 ? v->ipv4_count : v->ipv6_count;

	for (u32 i = 0; i < count; i++)
		if (address_equal(&list[i].address, a))
			return true;
	return family == 6 && address_equal(&v->link_local, a);
}

static bool is_dhcp_answer(const struct packet_key *k)
{
	return k->protocol == IP_UDP && (k->flags & KEY_PORTS) &&
	       ((k->family == 4 && k->source_port == DHCP_SERVER) ||
		(k->family == 6 && k->source_port == DHCPV6_SERVER));
}

static bool arp_allowed(const struct vif *v, const struct packet_key *k)
{
	if (mac_word(k->arp_mac) != mac_word(v->mac))
		return false;
	/* A probe asks before it has an address. */
	if (address_is_zero(&k->source))
		return k->arp_op == ARP_REQUEST;
	return vif_owns(v, &k->source, 4);
}

static bool ipv4_allowed(const struct vif *v, const struct packet_key *k)
{
	if (vif_owns(v, &k->source, 4))
		return true;
	return address_is_zero(&k->source) && k->protocol == IP_UDP &&
	       (k->flags & KEY_PORTS) && k->source_port == DHCP_CLIENT &&
	       k->target_port == DHCP_SERVER &&
	       k->target.words[0] == 0xffffffff;
}

static bool nd_allowed(const struct vif *v, const struct packet_key *k)
{
	if ((k->flags & KEY_ND_MAC) && mac_word(k->nd_mac) != mac_word(v->mac))
		return false;
	/* An advertisement, or a solicitation without a source (duplicate
	 * address detection), claims the target. */
	if (k->icmp_type == ICMPV6_NEIGHBOUR_ADVERT ||
	    address_is_zero(&k->source))
		return vif_owns(v, &k->nd_target, 6);
	return true;
}

static bool icmpv6_allowed(const struct vif *v, const struct packet_key *k)
{
	switch (k->icmp_type) {
	case ICMPV6_NEIGHBOUR_SOLICIT:
	case ICMPV6_NEIGHBOUR_ADVERT:
		return nd_allowed(v, k);
	case ICMPV6_ROUTER_ADVERT:
	case ICMPV6_REDIRECT:
		return false;
	default:
		return true;
	}
}

static bool ipv6_allowed(const struct vif *v, const struct packet_key *k)
{
	bool icmp = k->protocol == IP_ICMPV6;

	if (icmp && (k->flags & KEY_LATER))
		return false;
	if (icmp && !icmpv6_allowed(v, k))
		return false;
	if (vif_owns(v, &k->source, 6))
		return true;
	/* Before it has an address it looks for others that have it, for
	 * routers, and joins groups. */
	return address_is_zero(&k->source) && icmp &&
	       (k->icmp_type == ICMPV6_NEIGHBOUR_SOLICIT ||
		k->icmp_type == ICMPV6_ROUTER_SOLICIT ||
		k->icmp_type == ICMPV6_MLD_REPORT ||
		k->icmp_type == ICMPV6_MLD_DONE ||
		k->icmp_type == ICMPV6_MLDV2_REPORT);
}

bool guard_allows(const struct vif *v, const struct packet_key *k)
{
	if (v->flags & XENO_VIF_ANY_SOURCE)
		return !is_dhcp_answer(k) || (v->flags & XENO_VIF_DHCP_SERVER);
	if (mac_word(k->source_mac) != mac_word(v->mac) ||
	    (k->flags & KEY_VLAN))
		return false;
	if (is_dhcp_answer(k) && !(v->flags & XENO_VIF_DHCP_SERVER))
		return false;
	if (k->flags & KEY_ARP)
		return arp_allowed(v, k);
	if (k->family == 4)
		return ipv4_allowed(v, k);
	return k->family == 6 && ipv6_allowed(v, k);
}
