/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual interfaces, the switch between them and the uplink, and the rules on
 * its ports: the back end of stock netfronts. The operations are those of
 * xeno/vif.h, on copies that nobody else changes; they are called with the
 * control lock held. What they return beyond their contract's errors:
 * -ERESTART, call again with the same argument.
 */
#ifndef HV_NET_H
#define HV_NET_H

#include <hv/domain.h>

#include <xeno/vif.h>

/* At boot, after drivers have registered their uplinks: takes the first. */
void net_init(void);

int net_uplink_info(struct xeno_uplink_info *op) MUST_CHECK;
int net_vif_create(struct domain *d, const struct xeno_vif_create *op)
	MUST_CHECK;
int net_vif_connect(struct domain *d, const struct xeno_vif_connect *op)
	MUST_CHECK;
int net_vif_disconnect(struct domain *d, u32 number) MUST_CHECK;
int net_vif_destroy(struct domain *d, u32 number) MUST_CHECK;
int net_vif_info(struct domain *d, struct xeno_vif_info *op) MUST_CHECK;
int net_rules_replace(struct xeno_rules_replace *op) MUST_CHECK;
int net_rules_counters(const struct xeno_rules_counters *op) MUST_CHECK;

/* Tear-down: destroys every VIF of d, at some cost each. -ERESTART: *budget
 * used up; -EBUSY: the card still has packets of d; 0: nothing is left. */
int net_domain_exit(struct domain *d, int *budget) MUST_CHECK;

#endif
