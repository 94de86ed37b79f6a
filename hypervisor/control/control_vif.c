// SPDX-License-Identifier: Apache-2.0
/*
 * Control operations on uplinks, virtual interfaces and rules (contract in
 * xeno/vif.h): finds the domain and hands over to the net room.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/net.h>

#include <xeno/vif.h>

#include "control_ops.h"

static struct domain *find(u32 domain_id)
{
	return domain_id <= DOMID_SELF ? domain_find((u16)domain_id) : NULL;
}

int control_uplink_info(void *arg)
{
	return net_uplink_info(arg);
}

int control_vif_create(void *arg)
{
	const struct xeno_vif_create *op = arg;
	struct domain *d = find(op->domain_id);

	return d ? net_vif_create(d, op) : -ESRCH;
}

int control_vif_connect(void *arg)
{
	const struct xeno_vif_connect *op = arg;
	struct domain *d = find(op->domain_id);

	return d ? net_vif_connect(d, op) : -ESRCH;
}

int control_vif_disconnect(void *arg)
{
	const struct xeno_vif_name *op = arg;
	struct domain *d = find(op->domain_id);

	return d ? net_vif_disconnect(d, op->vif) : -ESRCH;
}

int control_vif_destroy(void *arg)
{
	const struct xeno_vif_name *op = arg;
	struct domain *d = find(op->domain_id);

	return d ? net_vif_destroy(d, op->vif) : -ESRCH;
}

int control_vif_info(void *arg)
{
	struct xeno_vif_info *op = arg;
	struct domain *d = find(op->domain_id);

	return d ? net_vif_info(d, op) : -ESRCH;
}

int control_rules_replace(void *arg)
{
	return net_rules_replace(arg);
}

int control_rules_counters(void *arg)
{
	return net_rules_counters(arg);
}
