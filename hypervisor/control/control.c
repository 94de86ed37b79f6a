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

#include <xeno/node.h>

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
};

/* Room for the largest argument. */
union control_arg {
	struct xeno_envelope head;
	struct xeno_cpu_counters cpu_counters;
	struct xeno_meters meters;
	struct xeno_domain_meter domain_meter;
	struct xeno_frames frames;
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
