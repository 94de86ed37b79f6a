/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The switch: who has which address, and where a packet goes. Look-ups are made
 * between net_read_lock and net_read_unlock, which exclude nobody; whoever
 * takes something out (the control lock held) waits with net_synchronize until
 * no CPU is in a look-up that began before, and then may free it.
 *
 * No interrupt cuts a look-up short, so what is done in one is counted, in
 * steps of some STEP_INSTRUCTIONS instructions, and who goes from packet to
 * packet ends his turn when enough has been spent.
 */
#ifndef NET_SWITCH_H
#define NET_SWITCH_H

#include <hv/types.h>

#include "net_packet.h"
#include "vif.h"

/* VIFs of the node. */
#define SWITCH_VIFS_MAX 4096
/* VIFs that get a copy of one broadcast, at most. */
#define FLOOD_COPIES_MAX 64
/* Steps after which a broadcast gets no further copies: with as many rules as
 * it takes to get there, fewer VIFs are told. */
#define FLOOD_STEPS 1800U
/* Steps after which a turn ends. */
#define TURN_STEPS 1000U
#define STEP_INSTRUCTIONS 50U

void net_read_lock(void);
void net_read_unlock(void);
void net_synchronize(void);

/* Inside a look-up. */
void net_spend(u32 steps);
/* Since it began. */
u32 net_spent(void);

/* Control lock held. -EEXIST, -ENOSPC. */
int switch_add(struct vif *v) MUST_CHECK;
/* Waits for look-ups: afterwards nobody finds v. */
void switch_remove(struct vif *v);

/* The card that carries traffic, or NULL. */
struct uplink *switch_uplink(void);

/* The packet has passed its sender's guard and rules. sender NULL: it comes
 * from the uplink. Delivers it; a reason for which nobody got it, to be counted
 * with the sender, or DROP_NONE. slots: the sender's, for the uplink. */
struct tx_request;
int switch_forward(struct vif *sender, struct net_packet *p,
		   struct tx_request *slots);

/* The same for what the card has received; net_uplink_receive's half. */
void switch_from_uplink(struct net_packet *p);

/* Control lock held or inside a look-up; NULL: none. */
struct vif *vif_find(const struct domain *d, u32 number);

#endif
