/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The door for control operations: who calls, the envelope, and the copies in
 * and out. The caller's memory is read once, envelope first, so what has been
 * checked is what is used. A new operation is a row of the table.
 */
#include <hv/control.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/lock.h>

#include <xeno/domain.h>
#include <xeno/node.h>
#include <xeno/vbd.h>
#include <xeno/vif.h>

#include "control_ops.h"

struct control_op {
	u32 version;
	u32 size; /* bytes, envelope included; 0: no such operation */
	int (*run)(void *arg);
};

static const struct control_op control_ops[] = {
	[XENO_OP_CPU_COUNTERS] = { XENO_CPU_COUNTERS_VERSION,
				   sizeof(struct xeno_cpu_counters),
				   control_cpu_counters },
	[XENO_OP_METERS] = { XENO_METERS_VERSION, sizeof(struct xeno_meters),
			     control_meters },
	[XENO_OP_DOMAIN_METER] = { XENO_DOMAIN_METER_VERSION,
				   sizeof(struct xeno_domain_meter),
				   control_domain_meter },
	[XENO_OP_FRAMES] = { XENO_FRAMES_VERSION, sizeof(struct xeno_frames),
			     control_frames },
	[XENO_OP_CLOCK] = { XENO_CLOCK_VERSION, sizeof(struct xeno_clock),
			    control_clock },
	[XENO_OP_UPLINK_INFO] = { XENO_UPLINK_INFO_VERSION,
				  sizeof(struct xeno_uplink_info),
				  control_uplink_info },
	[XENO_OP_VIF_CREATE] = { XENO_VIF_CREATE_VERSION,
				 sizeof(struct xeno_vif_create),
				 control_vif_create },
	[XENO_OP_VIF_CONNECT] = { XENO_VIF_CONNECT_VERSION,
				  sizeof(struct xeno_vif_connect),
				  control_vif_connect },
	[XENO_OP_VIF_DISCONNECT] = { XENO_VIF_DISCONNECT_VERSION,
				     sizeof(struct xeno_vif_name),
				     control_vif_disconnect },
	[XENO_OP_VIF_DESTROY] = { XENO_VIF_DESTROY_VERSION,
				  sizeof(struct xeno_vif_name),
				  control_vif_destroy },
	[XENO_OP_VIF_INFO] = { XENO_VIF_INFO_VERSION,
			       sizeof(struct xeno_vif_info), control_vif_info },
	[XENO_OP_RULES_REPLACE] = { XENO_RULES_REPLACE_VERSION,
				    sizeof(struct xeno_rules_replace),
				    control_rules_replace },
	[XENO_OP_RULES_COUNTERS] = { XENO_RULES_COUNTERS_VERSION,
				     sizeof(struct xeno_rules_counters),
				     control_rules_counters },
	[XENO_OP_DISK_INFO] = { XENO_DISK_INFO_VERSION,
				sizeof(struct xeno_disk_info),
				control_disk_info },
	[XENO_OP_VBD_CREATE] = { XENO_VBD_CREATE_VERSION,
				 sizeof(struct xeno_vbd_create),
				 control_vbd_create },
	[XENO_OP_VBD_CONNECT] = { XENO_VBD_CONNECT_VERSION,
				  sizeof(struct xeno_vbd_connect),
				  control_vbd_connect },
	[XENO_OP_VBD_DISCONNECT] = { XENO_VBD_DISCONNECT_VERSION,
				     sizeof(struct xeno_vbd_name),
				     control_vbd_disconnect },
	[XENO_OP_VBD_DESTROY] = { XENO_VBD_DESTROY_VERSION,
				  sizeof(struct xeno_vbd_name),
				  control_vbd_destroy },
	[XENO_OP_VBD_INFO] = { XENO_VBD_INFO_VERSION,
			       sizeof(struct xeno_vbd_info), control_vbd_info },
	[XENO_OP_DOMAIN_INFO] = { XENO_DOMAIN_INFO_VERSION,
				  sizeof(struct xeno_domain_info),
				  control_domain_info },
	[XENO_OP_DOMAIN_MEMORY] = { XENO_DOMAIN_MEMORY_VERSION,
				    sizeof(struct xeno_domain_memory),
				    control_domain_memory },
	[XENO_OP_METER_PAGE] = { XENO_METER_PAGE_VERSION,
				 sizeof(struct xeno_meter_page_where),
				 control_meter_page },
	[XENO_OP_SCHED_GET] = { XENO_SCHED_GET_VERSION,
				sizeof(struct xeno_sched), control_sched_get },
	[XENO_OP_SCHED_SET] = { XENO_SCHED_SET_VERSION,
				sizeof(struct xeno_sched), control_sched_set },
};

/* Room for the largest argument. */
union control_arg {
	struct xeno_envelope head;
	struct xeno_cpu_counters cpu_counters;
	struct xeno_meters meters;
	struct xeno_domain_meter domain_meter;
	struct xeno_frames frames;
	struct xeno_clock clock;
	struct xeno_uplink_info uplink_info;
	struct xeno_vif_create vif_create;
	struct xeno_vif_connect vif_connect;
	struct xeno_vif_name vif_name;
	struct xeno_vif_info vif_info;
	struct xeno_rules_replace rules_replace;
	struct xeno_rules_counters rules_counters;
	struct xeno_disk_info disk_info;
	struct xeno_vbd_create vbd_create;
	struct xeno_vbd_connect vbd_connect;
	struct xeno_vbd_name vbd_name;
	struct xeno_vbd_info vbd_info;
	struct xeno_domain_info domain_info;
	struct xeno_domain_memory domain_memory;
	struct xeno_meter_page_where meter_page;
	struct xeno_sched sched;
};

struct spinlock control_lock = SPINLOCK_INIT(RANK_CONTROL);

static const struct control_op *find(u32 op)
{
	if (op >= ARRAY_SIZE(control_ops) || !control_ops[op].size)
		return NULL;
	return &control_ops[op];
}

long hc_control(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	const u64 head_bytes = sizeof(struct xeno_envelope);
	const struct control_op *op;
	union control_arg u;
	u8 *body = (u8 *)&u + head_bytes;
	int err;

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!current_domain()->privileged)
		return -EPERM;
	if (guest_copy_in(&u.head, arg, head_bytes))
		return -EFAULT;
	op = find(u.head.op);
	if (!op)
		return -ENOSYS;
	if (u.head.abi_version != op->version || u.head.size != op->size ||
	    u.head.mbz)
		return -EINVAL;
	if (guest_copy_in(body, arg + head_bytes, op->size - head_bytes))
		return -EFAULT;
	spin_lock(&control_lock);
	err = op->run(&u);
	spin_unlock(&control_lock);
	if (err)
		return err;
	return guest_copy_out(arg + head_bytes, body, op->size - head_bytes);
}
