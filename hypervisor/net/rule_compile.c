// SPDX-License-Identifier: Apache-2.0
/*
 * From the ABI's rule to values and masks, and from a packet to the words that
 * they are compared with (contract in rule_table.h). Pure.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/string.h>

#include "rule_table.h"

/* In word 0, above family and protocol: set for TO. */
#define DIRECTION_TO (1UL << 16)
#define FIELD(name) ((u32)offsetof(struct xeno_rule, name))

#define BAD(name)                                                              \
	do {                                                                   \
		*bad_field = FIELD(name);                                      \
		return -EINVAL;                                                \
	} while (0)

static void set_prefix(u64 *value, u64 *mask, const u8 *address, u8 bits)
{
	union net_address m = { .halves = { 0, 0 } }, a;

	memcpy(a.bytes, address, 16);
	memset(m.bytes, 0xff, bits / 8);
	if (bits % 8)
		m.bytes[bits / 8] = (u8)(0xff << (8 - bits % 8));
	for (int i = 0; i < 2; i++) {
		value[i] = a.halves[i] & m.halves[i];
		mask[i] = m.halves[i];
	}
}

static bool any_port(u16 first, u16 last)
{
	return first == 0 && last == 65535;
}

/* An exact port is hashed; a range only says that there must be ports. */
static void set_ports(const struct xeno_rule *r, struct match_rule *out)
{
	u64 *value = &out->value.words[5], *mask = &out->mask.words[5];

	out->source_first = r->source_port_first;
	out->source_last = r->source_port_last;
	out->target_first = r->target_port_first;
	out->target_last = r->target_port_last;
	if (any_port(r->source_port_first, r->source_port_last) &&
	    any_port(r->target_port_first, r->target_port_last))
		return;
	*value = *mask = MATCH_HAS_PORTS;
	if (r->source_port_first == r->source_port_last) {
		*value |= (u64)r->source_port_first << 16;
		*mask |= 0xffff0000;
	}
	if (r->target_port_first == r->target_port_last) {
		*value |= r->target_port_first;
		*mask |= 0xffff;
	}
}

static bool has_transport(const struct xeno_rule *r)
{
	return r->protocol == IP_TCP || r->protocol == IP_UDP;
}

static int check_redirect(const struct xeno_rule *r, u32 *bad_field)
{
	static const u8 zero[16];

	if (r->direction != XENO_RULE_FROM)
		BAD(direction);
	if (!r->family)
		BAD(family);
	if (!has_transport(r))
		BAD(protocol);
	if (r->domain_id != XENO_RULE_UPLINK)
		BAD(domain_id);
	if (r->target_prefix != (r->family == 4 ? 32 : 128))
		BAD(target_prefix);
	if (!r->target_port_first)
		BAD(target_port_first);
	if (r->target_port_first != r->target_port_last)
		BAD(target_port_last);
	if (r->redirect_domain_id >= DOMAIN_MAX)
		BAD(redirect_domain_id);
	if (r->redirect_vif >= XENO_VIFS_PER_DOMAIN)
		BAD(redirect_vif);
	if (!r->redirect_port)
		BAD(redirect_port);
	if (!memcmp(r->redirect_address, zero, r->family == 4 ? 4 : 16))
		BAD(redirect_address);
	return 0;
}

static int check(const struct xeno_rule *r, u32 *bad_field)
{
	u8 bits = r->family == 4 ? 32 : r->family == 6 ? 128 : 0;

	if (r->action > XENO_RULE_REDIRECT)
		BAD(action);
	if (r->direction < XENO_RULE_FROM || r->direction > XENO_RULE_BOTH)
		BAD(direction);
	if (r->family && !bits)
		BAD(family);
	if (r->domain_id != XENO_RULE_ANY_DOMAIN &&
	    r->domain_id != XENO_RULE_UPLINK && r->domain_id >= DOMAIN_MAX)
		BAD(domain_id);
	if (r->vif != XENO_RULE_ANY_VIF && (r->vif >= XENO_VIFS_PER_DOMAIN ||
					    r->domain_id == XENO_RULE_UPLINK))
		BAD(vif);
	if (r->source_prefix > bits)
		BAD(source_prefix);
	if (r->target_prefix > bits)
		BAD(target_prefix);
	if (r->source_port_first > r->source_port_last)
		BAD(source_port_first);
	if (r->target_port_first > r->target_port_last)
		BAD(target_port_first);
	if (!has_transport(r) &&
	    (!any_port(r->source_port_first, r->source_port_last) ||
	     !any_port(r->target_port_first, r->target_port_last)))
		BAD(protocol);
	if (r->mbz)
		BAD(mbz);
	return r->action == XENO_RULE_REDIRECT ? check_redirect(r, bad_field)
					       : 0;
}

static void set_interface(const struct xeno_rule *r, u32 *value, u32 *mask)
{
	if (r->domain_id == XENO_RULE_UPLINK) {
		*value = INTERFACE_UPLINK;
		*mask = ~0U;
		return;
	}
	*value = 0;
	*mask = INTERFACE_UPLINK;
	if (r->domain_id != XENO_RULE_ANY_DOMAIN) {
		*value |= interface_of((u16)r->domain_id, 0);
		*mask |= 0x7fff0000;
	}
	if (r->vif != XENO_RULE_ANY_VIF) {
		*value |= r->vif;
		*mask |= 0xffff;
	}
}

int rule_compile(const struct xeno_rule *r, struct match_rule *out,
		 u32 *bad_field)
{
	u32 interface, interface_mask;
	int err = check(r, bad_field);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	set_interface(r, &interface, &interface_mask);
	out->value.words[0] = match_word0(interface, r->family, r->protocol);
	out->mask.words[0] = match_word0(interface_mask, r->family ? 0xff : 0,
					 r->protocol ? 0xff : 0);
	if (r->direction != XENO_RULE_BOTH)
		out->mask.words[0] |= DIRECTION_TO;
	if (r->direction == XENO_RULE_TO)
		out->value.words[0] |= DIRECTION_TO;
	set_prefix(&out->value.words[1], &out->mask.words[1], r->source,
		   r->source_prefix);
	set_prefix(&out->value.words[3], &out->mask.words[3], r->target,
		   r->target_prefix);
	set_ports(r, out);
	return 0;
}

void rule_key(const struct packet_key *k, u32 interface, bool to,
	      struct match_key *out)
{
	out->words[0] = match_word0(interface, k->family, k->protocol) |
			(to ? DIRECTION_TO : 0);
	out->words[1] = k->source.halves[0];
	out->words[2] = k->source.halves[1];
	out->words[3] = k->target.halves[0];
	out->words[4] = k->target.halves[1];
	out->words[5] = k->flags & KEY_PORTS
				? match_word5(k->source_port, k->target_port)
				: 0;
}
