// SPDX-License-Identifier: Apache-2.0
/* See vif_plan.h. */
#include "network/vif_plan.h"

#include <string.h>

_Static_assert(CONFIG_ADDRESSES_MAX <= XENO_VIF_IPV4_MAX &&
		       CONFIG_ADDRESSES_MAX <= XENO_VIF_IPV6_MAX,
	       "all addresses of a configuration fit");

/* Locally administered, of one station. */
#define MAC_FIRST_BYTE 0x02

/* FNV-1a, of name and number. */
static uint64_t hash(const char *name, uint32_t number)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return (h ^ number) * 0x100000001b3;
}

static void make_mac(uint8_t mac[6], const char *name, uint32_t number)
{
	uint64_t h = hash(name, number);

	/* The upper bits of the product are the better mixed ones. */
	h ^= h >> 32;
	mac[0] = MAC_FIRST_BYTE;
	for (int i = 1; i < 6; i++, h >>= 8)
		mac[i] = (uint8_t)h;
}

void vif_plan(struct xeno_vif_create *out, uint32_t domain_id, uint32_t number,
	      const char *name, const struct vif_config *c)
{
	*out = (struct xeno_vif_create){
		.domain_id = domain_id,
		.vif = number,
		.ipv4_count = c->ipv4_count,
		.ipv6_count = c->ipv6_count,
	};
	if (c->has_mac)
		memcpy(out->mac, c->mac, sizeof(out->mac));
	else
		make_mac(out->mac, name, number);
	memcpy(out->ipv4, c->ipv4, sizeof(c->ipv4));
	memcpy(out->ipv6, c->ipv6, sizeof(c->ipv6));
}
