/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's part of vCPUs, as arch/x86_64 has it; tests that need it bring
 * a fake of it along. */
#ifndef ARCH_CONTEXT_H
#define ARCH_CONTEXT_H

#include <hv/types.h>

struct vcpu;
struct vcpu_guest_context;

int vcpu_arch_init(struct vcpu *v) MUST_CHECK;
int vcpu_arch_exit(struct vcpu *v, int *budget) MUST_CHECK;
/* VCPUOP_initialise: v is down and not the current one. ctx is the
 * hypervisor's copy. -EINVAL: a bad address, frame or table. */
int vcpu_initialise_from(struct vcpu *v, const struct vcpu_guest_context *ctx)
	MUST_CHECK;
void vcpu_describe(const struct vcpu *v, struct vcpu_guest_context *ctx);

/* v->arch.kernel_cr3 changed: from here on it is the loaded table. The old
 * table's reference is dropped afterwards. */
void vcpu_load_kernel_cr3(struct vcpu *v);
/* v->arch.ldt_* changed: from here on the old frames are neither mapped nor
 * cached. Their references are dropped afterwards. */
void vcpu_load_ldt(struct vcpu *v);

#endif
