// SPDX-License-Identifier: Apache-2.0
/*
 * The standard sysctl: the subset that tells about the machine. Errors in the
 * order of domctl.c. A machine of ours has one node, and each CPU is a core of
 * one socket. Lists are copied out element by element, and a caller that has
 * room for fewer gets fewer.
 */
#include <hv/console.h>
#include <hv/control.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/clock.h>
#include <arch/cpu.h>

#include <xen/sysctl.h>

#include "control_ops.h"
#include "domctl_ops.h"

#define CONSOLE_BYTES_MAX 4096U /* per call */
#define DOMAINS_MAX 128U        /* per call */
#define KEYS_MAX 16U            /* per call */

static int read_console(struct xen_sysctl *op)
{
	struct xen_sysctl_readconsole *c = &op->u.readconsole;
	u32 room = MIN(c->count, CONSOLE_BYTES_MAX), done = 0;
	u64 pos = c->incremental ? c->index : 0;
	char chunk[128];

	while (done < room) {
		u32 n = (u32)console_ring_read(
			&pos, chunk, MIN(room - done, (u32)sizeof(chunk)));

		if (!n)
			break;
		if (guest_copy_out((u64)c->buffer.p + done, chunk, n))
			return -EFAULT;
		done += n;
	}
	c->count = done;
	c->index = (u32)pos;
	return 0;
}

static int physinfo(struct xen_sysctl *op)
{
	op->u.physinfo = (struct xen_sysctl_physinfo){
		.threads_per_core = 1,
		.cores_per_socket = cpu_count,
		.nr_cpus = cpu_count,
		.max_cpu_id = cpu_count - 1,
		.nr_nodes = 1,
		.cpu_khz = (u32)clock_tsc_khz(),
		.capabilities =
			XEN_SYSCTL_PHYSCAP_pv | XEN_SYSCTL_PHYSCAP_gnttab_v1,
		.total_pages = frame_total_count(),
		.free_pages = frame_free_count(),
		.max_mfn = frame_max_mfn - 1,
	};
	return 0;
}

/* Ours has no number of its own there; tools print this one's name. */
static int sched_id(struct xen_sysctl *op)
{
	op->u.sched_id.sched_id = XEN_SCHEDULER_CREDIT;
	return 0;
}

static int domain_list(struct xen_sysctl *op)
{
	struct xen_sysctl_getdomaininfolist *l = &op->u.getdomaininfolist;
	u32 room = MIN(l->max_domains, DOMAINS_MAX), next = l->first_domain;
	struct xen_domctl_getdomaininfo info;
	u32 n;

	for (n = 0; n < room; n++) {
		struct domain *d = domain_from(next);

		if (!d)
			break;
		domain_describe(d, &info);
		if (guest_copy_out((u64)l->buffer.p + n * sizeof(info), &info,
				   sizeof(info)))
			return -EFAULT;
		next = d->id + 1U;
	}
	l->num_domains = n;
	return 0;
}

static int debug_keys(struct xen_sysctl *op)
{
	u32 n = MIN(op->u.debug_keys.nr_keys, KEYS_MAX);
	char keys[KEYS_MAX];

	if (guest_copy_in(keys, (u64)op->u.debug_keys.keys.p, n))
		return -EFAULT;
	for (u32 i = 0; i < n; i++)
		console_press_debug_key(keys[i]);
	return 0;
}

static int cpu_info(struct xen_sysctl *op)
{
	struct xen_sysctl_getcpuinfo *c = &op->u.getcpuinfo;
	u32 n = MIN(c->max_cpus, cpu_count);

	for (u32 cpu = 0; cpu < n; cpu++) {
		struct xen_sysctl_cpuinfo info = {
			.idletime = meter_idle_ns(cpu, clock_now_ns()),
		};

		if (guest_copy_out((u64)c->info.p + cpu * sizeof(info), &info,
				   sizeof(info)))
			return -EFAULT;
	}
	c->nr_cpus = n;
	return 0;
}

static int free_memory(struct xen_sysctl *op)
{
	struct xen_sysctl_availheap *a = &op->u.availheap;

	/* What lies below an address is not counted apart. */
	a->avail_bytes = a->node > 0 ? 0 : frame_free_count() << PAGE_SHIFT;
	return 0;
}

static int cpu_topology(struct xen_sysctl *op)
{
	struct xen_sysctl_cputopoinfo *t = &op->u.cputopoinfo;
	u32 n = MIN(t->num_cpus, cpu_count);

	for (u32 cpu = 0; t->cputopo.p && cpu < n; cpu++) {
		struct xen_sysctl_cputopo topo = { .core = cpu };

		if (guest_copy_out((u64)t->cputopo.p + cpu * sizeof(topo),
				   &topo, sizeof(topo)))
			return -EFAULT;
	}
	t->num_cpus = cpu_count;
	return 0;
}

static int nodes(struct xen_sysctl *op)
{
	struct xen_sysctl_numainfo *n = &op->u.numainfo;
	const struct xen_sysctl_meminfo mem = {
		.memsize = frame_total_count() << PAGE_SHIFT,
		.memfree = frame_free_count() << PAGE_SHIFT,
	};
	const u32 distance = 10;

	if (n->num_nodes &&
	    ((n->meminfo.p &&
	      guest_copy_out((u64)n->meminfo.p, &mem, sizeof(mem))) ||
	     (n->distance.p &&
	      guest_copy_out((u64)n->distance.p, &distance, sizeof(distance)))))
		return -EFAULT;
	n->num_nodes = 1;
	return 0;
}

static int (*const ops[])(struct xen_sysctl *op) = {
	[XEN_SYSCTL_readconsole] = read_console,
	[XEN_SYSCTL_physinfo] = physinfo,
	[XEN_SYSCTL_sched_id] = sched_id,
	[XEN_SYSCTL_getdomaininfolist] = domain_list,
	[XEN_SYSCTL_debug_keys] = debug_keys,
	[XEN_SYSCTL_getcpuinfo] = cpu_info,
	[XEN_SYSCTL_availheap] = free_memory,
	[XEN_SYSCTL_cputopoinfo] = cpu_topology,
	[XEN_SYSCTL_numainfo] = nodes,
};

long hc_sysctl(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct xen_sysctl op;
	int err = -ENOSYS;

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!current_domain()->privileged)
		return -EPERM;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.interface_version != XEN_SYSCTL_INTERFACE_VERSION)
		return -EACCES;
	spin_lock(&control_lock);
	if (op.cmd < ARRAY_SIZE(ops) && ops[op.cmd])
		err = ops[op.cmd](&op);
	spin_unlock(&control_lock);
	if (err)
		return err;
	return guest_copy_out(arg, &op, sizeof(op)) ? -EFAULT : 0;
}
