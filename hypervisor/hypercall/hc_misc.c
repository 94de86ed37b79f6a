/* SPDX-License-Identifier: Apache-2.0 */
/* Small hypercalls: version, console, vm_assist, physdev, platform. */
#include <hv/console.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/hypercall.h>
#include <hv/string.h>

#include <arch/guest_time.h>
#include <arch/layout.h>

#include <xen/features.h>
#include <xen/physdev.h>
#include <xen/platform.h>
#include <xen/version.h>

/* ---- xen_version ---- */

#define ABI_VERSION (4 << 16 | 17)

static long get_features(u64 arg)
{
	struct xen_feature_info fi;

	if (guest_copy_in(&fi, arg, sizeof(fi)))
		return -EFAULT;
	if (fi.submap_idx)
		return -EINVAL;
	fi.submap = 1U << XENFEAT_pae_pgdir_above_4gb |
		    1U << XENFEAT_mmu_pt_update_preserve_ad |
		    1U << XENFEAT_highmem_assist |
		    1U << XENFEAT_gnttab_map_avail_bits;
	if (current_domain()->privileged)
		fi.submap |= 1U << XENFEAT_dom0;
	return guest_copy_out(arg, &fi, sizeof(fi));
}

long hc_xen_version(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	union {
		xen_extraversion_t extra;
		struct xen_compile_info compile;
		xen_capabilities_info_t capabilities;
		xen_changeset_info_t changeset;
		struct xen_platform_parameters parameters;
		xen_domain_handle_t handle;
		xen_commandline_t command_line;
	} u;

	(void)a3, (void)a4, (void)a5, (void)a6;
	/* Also the guests' way to ask for pending events: keep it first. */
	if (cmd == XENVER_version)
		return ABI_VERSION;
	memset(&u, 0, sizeof(u));
	switch (cmd) {
	case XENVER_extraversion:
		strlcpy(u.extra, ".0-xeno", sizeof(u.extra));
		return guest_copy_out(arg, &u.extra, sizeof(u.extra));
	case XENVER_compile_info:
		strlcpy(u.compile.compiler, __VERSION__,
			sizeof(u.compile.compiler));
		return guest_copy_out(arg, &u.compile, sizeof(u.compile));
	case XENVER_capabilities:
		strlcpy(u.capabilities, "xen-3.0-x86_64",
			sizeof(u.capabilities));
		return guest_copy_out(arg, &u.capabilities,
				      sizeof(u.capabilities));
	case XENVER_changeset:
		strlcpy(u.changeset, "xeno", sizeof(u.changeset));
		return guest_copy_out(arg, &u.changeset, sizeof(u.changeset));
	case XENVER_platform_parameters:
		u.parameters.virt_start = HV_VIRT_START;
		return guest_copy_out(arg, &u.parameters, sizeof(u.parameters));
	case XENVER_get_features:
		return get_features(arg);
	case XENVER_pagesize:
		return PAGE_SIZE;
	case XENVER_guest_handle:
		memcpy(u.handle, current_domain()->handle, sizeof(u.handle));
		return guest_copy_out(arg, &u.handle, sizeof(u.handle));
	case XENVER_commandline:
		if (!current_domain()->privileged)
			return -EPERM;
		return guest_copy_out(arg, &u.command_line,
				      sizeof(u.command_line));
	default:
		return -ENOSYS;
	}
}

/* ---- console_io ---- */

#define CONSOLE_CHUNK 128
#define CONSOLE_MAX_BYTES 512 /* per call; the guest continues from there */

static long console_write_guest(u64 count, u64 buf)
{
	char chunk[CONSOLE_CHUNK];

	while (count) {
		u64 n = MIN(count, (u64)sizeof(chunk));

		if (guest_copy_in(chunk, buf, n))
			return -EFAULT;
		console_write(chunk, n);
		buf += n;
		count -= n;
	}
	return 0;
}

long hc_console_io(u64 cmd, u64 count, u64 buf, u64 a4, u64 a5, u64 a6)
{
	struct guest_regs *r = &current_vcpu()->arch.regs;
	char chunk[CONSOLE_CHUNK];
	u64 n;
	long err;

	(void)a4, (void)a5, (void)a6;
	if (!current_domain()->privileged)
		return -EPERM;
	switch ((u32)cmd) {
	case CONSOLEIO_write:
		count = (u32)count;
		n = MIN(count, (u64)CONSOLE_MAX_BYTES);
		err = console_write_guest(n, buf);
		if (err || n == count)
			return err;
		r->rsi = count - n;
		r->rdx = buf + n;
		return -ERESTART;
	case CONSOLEIO_read:
		n = console_read(chunk, MIN((u64)(u32)count, sizeof(chunk)));
		return guest_copy_out(buf, chunk, n) ? -EFAULT : (long)n;
	default:
		return -ENOSYS;
	}
}

/* ---- vm_assist ---- */

#define ASSISTS                                                                \
	(1U << VMASST_TYPE_4gb_segments |                                      \
	 1U << VMASST_TYPE_4gb_segments_notify |                               \
	 1U << VMASST_TYPE_writable_pagetables |                               \
	 1U << VMASST_TYPE_pae_extended_cr3 |                                  \
	 1U << VMASST_TYPE_runstate_update_flag)

long hc_vm_assist(u64 cmd, u64 type, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct domain *d = current_domain();

	(void)a3, (void)a4, (void)a5, (void)a6;
	if (type >= 32 || !(ASSISTS >> type & 1))
		return -EINVAL;
	switch (cmd) {
	case VMASST_CMD_enable:
		__atomic_or_fetch(&d->vm_assist, 1U << type, __ATOMIC_RELAXED);
		return 0;
	case VMASST_CMD_disable:
		__atomic_and_fetch(&d->vm_assist, ~(1U << type),
				   __ATOMIC_RELAXED);
		return 0;
	default:
		return -ENOSYS;
	}
}

/* ---- physdev: no domain has devices, but all may tell who may try ---- */

long hc_physdev_op(u64 cmd, u64 arg, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct physdev_set_iopl iopl;
	struct physdev_set_iobitmap bitmap;
	struct vcpu *v = current_vcpu();

	(void)a3, (void)a4, (void)a5, (void)a6;
	switch (cmd) {
	case PHYSDEVOP_set_iopl:
		if (guest_copy_in(&iopl, arg, sizeof(iopl)))
			return -EFAULT;
		if (iopl.iopl > 3)
			return -EINVAL;
		v->arch.iopl = (u8)iopl.iopl;
		return 0;
	case PHYSDEVOP_set_iobitmap:
		if (guest_copy_in(&bitmap, arg, sizeof(bitmap)))
			return -EFAULT;
		if (bitmap.nr_ports > 65536)
			return -EINVAL;
		/* Read, and checked, when a process uses a port. */
		v->arch.iobitmap_va = (u64)bitmap.bitmap.p;
		v->arch.iobitmap_ports = bitmap.nr_ports;
		return 0;
	default:
		return -ENOSYS;
	}
}

/* ---- platform: Domain 0 sets the wall clock ---- */

long hc_platform_op(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6)
{
	struct {
		u32 cmd, interface_version;
		struct xenpf_settime64 time;
	} op;
	u64 wall;

	(void)a2, (void)a3, (void)a4, (void)a5, (void)a6;
	if (!current_domain()->privileged)
		return -EPERM;
	if (guest_copy_in(&op, arg, sizeof(op)))
		return -EFAULT;
	if (op.interface_version != XENPF_INTERFACE_VERSION)
		return -EACCES;
	if (op.cmd != XENPF_settime64)
		return -ENOSYS;
	if (op.time.mbz || op.time.nsecs >= 1000000000U ||
	    op.time.secs > 1UL << 33)
		return -EINVAL;
	wall = op.time.secs * 1000000000UL + op.time.nsecs -
	       op.time.system_time;
	clock_wall_set_at_boot(wall);
	for (u16 i = 0; i < DOMAIN_MAX; i++) {
		struct domain *d = domain_find(i);

		if (d)
			guest_wallclock_set(d, wall);
	}
	return 0;
}
