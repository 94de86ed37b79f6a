/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations from a program of Domain 0, through the kernel's privcmd
 * device. Needs the module xen-privcmd and the rights to open the device.
 */
#ifndef CONTROL_CALL_H
#define CONTROL_CALL_H

#include <stdint.h>

#include <xeno/node.h>

/* -1: no such device, or no hypervisor that knows the control hypercall. */
int control_open(void);

/* Fills in the envelope at the start of *arg, which has `size` bytes, and
 * performs the operation: 0, or -1 with errno. */
int control_call(int fd, void *arg, uint32_t op, uint32_t version,
		 uint32_t size);

#define CONTROL_CALL(fd, arg, name)                                            \
	control_call((fd), (arg), XENO_OP_##name, XENO_##name##_VERSION,       \
		     sizeof(*(arg)))

#endif
