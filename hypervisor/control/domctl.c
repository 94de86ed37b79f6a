// SPDX-License-Identifier: Apache-2.0
/*
 * The door of the standard domctl. In this order: -EPERM: not Domain 0;
 * -EFAULT; -EACCES: another version of the interface; -ENOSYS: an operation
 * that we do not have; -ESRCH: no such domain.
 */
#include <hv/control.h>
#include <hv/errno.h>
#include <hv/guest_access.h>

#include "control_ops.h"
#include "domctl_ops.h"

static const struct {
	domctl_fn *run;
	bool no_domain; /* does not act on one that is there */
} ops[] = {
	[XEN_DOMCTL_createdomain] = { domctl_create, true },
	[XEN_DOMCTL_destroydomain] = { domctl_destroy, true },
	[XEN_DOMCTL_pausedomain] = { domctl_pause, false },
	[XEN_DOMCTL_unpausedomain] = { domctl_unpause, false },
	[XEN_DOMCTL_resumedomain] = { domctl_resume, false },
	[XEN_DOMCTL_getdomaininfo] = { domctl_info, true },
	[XEN_DOMCTL_max_mem] = { domctl_max_mem, false },
	[XEN_DOMCTL_max_vcpus] = { domctl_max_vcpus, false },
	[XEN_DOMCTL_setdomainhandle] = { domctl_handle, false },
	[XEN_DOMCTL_hypercall_init] = { domctl_accept, false },
	[XEN_DOMCTL_setnodeaffinity] = { domctl_accept, false },
	[XEN_DOMCTL_set_address_size] = { domctl_set_width, false },
	[XEN_DOMCTL_get_address_size] = { domctl_get_width, false },
	[XEN_DOMCTL_settscinfo] = { domctl_tsc, false },
	[XEN_DOMCTL_gettscinfo] = { domctl_get_tsc, false },
	[XEN_DOMCTL_setvcpucontext] = { domctl_set_context, false },
	[XEN_DOMCTL_getvcpucontext] = { domctl_get_context, false },
	[XEN_DOMCTL_getvcpuinfo] = { domctl_vcpu_info, false },
	[XEN_DOMCTL_setvcpuaffinity] = { domctl_set_affinity, false },
	[XEN_DOMCTL_getvcpuaffinity] = { domctl_get_affinity, false },
};

static int run(struct xen_domctl *op)
{
	struct domain *d = NULL;

	if (op->cmd >= ARRAY_SIZE(ops) || !ops[op->cmd].run)
		return -ENOSYS;
	if (!ops[op->cmd].no_domain) {
		d = domain_find(op->domain);
		if (!d)
			return -ESRCH;
	}
	return ops[op->cmd].run(d, op);
}

long hc_domctl(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct xen_domctl op;
	int err;

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!current_domain()->privileged)
		return -EPERM;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.interface_version != XEN_DOMCTL_INTERFACE_VERSION)
		return -EACCES;
	spin_lock(&control_lock);
	err = run(&op);
	spin_unlock(&control_lock);
	if (err)
		return err;
	return guest_copy_out(arg, &op, sizeof(op)) ? -EFAULT : 0;
}
