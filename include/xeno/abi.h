/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control hypercall: what Domain 0 asks of the hypervisor and the public
 * guest ABI has no words for.
 *
 * XENO_HYPERVISOR_CONTROL takes one argument, the address of a structure that
 * starts with struct xeno_envelope and goes on with the operation's argument,
 * of which one part is read and the other written. Every operation has its own
 * version, so one can change without the others. In this order:
 *
 *   -EPERM   the caller is not Domain 0; nothing has been looked at
 *   -EFAULT  the structure is not in the caller's memory
 *   -ENOSYS  no such operation
 *   -EINVAL  another version or size, or a field that must be zero is not
 *
 * Errors of the operation itself stand with it. After an error nothing has
 * changed, neither here nor in the structure; after 0 all of it is defined.
 */
#ifndef XENO_ABI_H
#define XENO_ABI_H

#include <stdint.h>

/* __HYPERVISOR_arch_4 of xen/xen.h, which gives it no meaning on x86. */
#define XENO_HYPERVISOR_CONTROL 52

struct xeno_envelope {
	uint32_t abi_version; /* XENO_*_VERSION of the operation */
	uint32_t op;          /* XENO_OP_* */
	uint32_t size;        /* bytes, of the whole structure */
	uint32_t mbz;         /* must be zero */
};

_Static_assert(sizeof(struct xeno_envelope) == 16, "part of the ABI");

/* Operations on the node: xeno/node.h. */
#define XENO_OP_CPU_COUNTERS 1
#define XENO_OP_METERS 2
#define XENO_OP_DOMAIN_METER 3
#define XENO_OP_FRAMES 4
#define XENO_OP_CLOCK 5

/* Operations on a domain: xeno/domain.h. */
#define XENO_OP_DOMAIN_INFO 16
#define XENO_OP_DOMAIN_MEMORY 17
#define XENO_OP_METER_PAGE 18
#define XENO_OP_SCHED_GET 19
#define XENO_OP_SCHED_SET 20

/* Disks and virtual block devices: xeno/vbd.h. */
#define XENO_OP_DISK_INFO 32
#define XENO_OP_VBD_CREATE 33
#define XENO_OP_VBD_CONNECT 34
#define XENO_OP_VBD_DISCONNECT 35
#define XENO_OP_VBD_DESTROY 36
#define XENO_OP_VBD_INFO 37

/* Uplinks, virtual interfaces and the firewall-router: xeno/vif.h. */
#define XENO_OP_UPLINK_INFO 48
#define XENO_OP_VIF_CREATE 49
#define XENO_OP_VIF_CONNECT 50
#define XENO_OP_VIF_DISCONNECT 51
#define XENO_OP_VIF_DESTROY 52
#define XENO_OP_VIF_INFO 53
#define XENO_OP_RULES_REPLACE 54
#define XENO_OP_RULES_COUNTERS 55

/* The domain id of the hypervisor's own back ends: front ends grant their
 * rings and pages, and leave their ports unbound, to this one. */
#define XENO_DOMAIN_BACKEND 0x7f00

#endif
