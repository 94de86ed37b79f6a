/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redirected flows: a packet for the node's port becomes one for the guest's,
 * and the guest's answers to the same peer become the node's. Flows are kept
 * for the answers; each VIF has room for its own, charged to its domain, and
 * forgets the one unused for longest when it has too many. All functions are
 * called inside a look-up (switch.h); they take the VIF's flow_lock.
 */
#ifndef NET_REDIRECT_H
#define NET_REDIRECT_H

#include "net_packet.h"
#include "rule_table.h"
#include "vif.h"

#define FLOWS_PER_VIF 448

/* From the uplink to v: remembers the flow and rewrites the packet. False: it
 * cannot be redirected (a fragment, or no memory). */
bool redirect_in(struct vif *v, const struct rule_redirect *to,
		 struct net_packet *p);
/* From v to the uplink: rewrites an answer; leaves any other packet alone. */
void redirect_out(struct vif *v, struct net_packet *p);
/* Frees all; nobody looks at v any more. */
void redirect_free(struct vif *v);

/* Pure: sets the source (or else the target) address and port, and what
 * checksums say about them. */
void packet_rewrite(struct net_packet *p, bool source,
		    const union net_address *address, u16 port);

#endif
