/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of rules in force: built from what Domain 0 gives, checked rule by
 * rule, and replaced as a whole. Look-ups are made between net_read_lock and
 * net_read_unlock; whoever replaces waits for them and frees the old table.
 */
#ifndef NET_RULE_TABLE_H
#define NET_RULE_TABLE_H

#include <hv/types.h>

#include <xeno/vif.h>

#include "packet.h"
#include "rule_match.h"

/* Steps that one decision may take: dearer tables are refused, so that no
 * packet, which is decided about twice, keeps a CPU for long. */
#define RULE_STEPS_MAX 512U

/* Ports of the switch, as rules name them: a VIF's is its domain's id and its
 * number. */
#define INTERFACE_UPLINK 0x80000000U

static inline u32 interface_of(u16 domain_id, u16 vif)
{
	return (u32)domain_id << 16 | vif;
}

/* Where a redirected packet goes. */
struct rule_redirect {
	union net_address address;
	u16 domain_id, vif;
	u16 port; /* host order */
};

struct rule_verdict {
	u8 action; /* XENO_RULE_ACCEPT, DROP or REDIRECT */
	struct rule_redirect redirect;
};

/* Pure: what a rule matches. 0, or -EINVAL with the offset of the field that
 * is wrong. */
int rule_compile(const struct xeno_rule *r, struct match_rule *out,
		 u32 *bad_field) MUST_CHECK;
/* Pure: what a packet shows to the rules; to: it is about to be delivered. */
void rule_key(const struct packet_key *k, u32 interface, bool to,
	      struct match_key *out);

/* Decides, and counts for every rule that had its say. NULL: accepted. What it
 * took is spent (switch.h). */
const struct rule_verdict *rules_decide(const struct packet_key *k,
					u32 interface, bool to, u32 bytes);

#endif
