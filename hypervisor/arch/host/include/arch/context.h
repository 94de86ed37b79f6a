/* SPDX-License-Identifier: Apache-2.0 */
/* Loading parts of the current vCPU's state after a hypercall changed it. */
#ifndef ARCH_CONTEXT_H
#define ARCH_CONTEXT_H

struct vcpu;

/* v->arch.kernel_cr3 changed: from here on it is the loaded table. The old
 * table's reference is dropped afterwards. */
void vcpu_load_kernel_cr3(struct vcpu *v);
/* v->arch.ldt_* changed: from here on the old frames are neither mapped nor
 * cached. Their references are dropped afterwards. */
void vcpu_load_ldt(struct vcpu *v);

#endif
