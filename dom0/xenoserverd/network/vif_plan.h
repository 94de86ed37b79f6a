/* SPDX-License-Identifier: Apache-2.0 */
/* What an interface of a configuration means to the hypervisor. Pure. */
#ifndef NETWORK_VIF_PLAN_H
#define NETWORK_VIF_PLAN_H

#include <xeno/vif.h>

#include "model/domain_config.h"

/* Without a MAC in the configuration it is made from the domain's name, so
 * that it is the same after a restart. */
void vif_plan(struct xeno_vif_create *out, uint32_t domain_id, uint32_t number,
	      const char *name, const struct vif_config *c);

#endif
