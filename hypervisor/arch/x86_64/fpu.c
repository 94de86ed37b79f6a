/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FPU state, switched eagerly and in full: everything XCR0 can name is saved
 * and loaded, whatever the guest has enabled, so no value crosses vCPUs.
 */
#include <hv/domain.h>
#include <hv/log.h>
#include <hv/string.h>

#include <arch/internal.h>
#include <arch/x86.h>

#define FCW_RESET 0x37f
#define MXCSR_RESET 0x1f80

void fpu_init_cpu(void)
{
	if (cpu_features.xsave)
		xsetbv(cpu_features.xcr0);
	__asm__ volatile("fninit");
}

/* The reset state: an XSAVE image whose header claims x87 and SSE and whose
 * AVX part is in its initial configuration. */
void fpu_init_image(struct vcpu *v)
{
	u8 *image = v->arch.fpu;

	memset(image, 0, sizeof(v->arch.fpu));
	*(u16 *)image = FCW_RESET;
	*(u32 *)(image + 24) = MXCSR_RESET;
	if (cpu_features.xsave)
		*(u64 *)(image + 512) = 3;
}

void fpu_save(struct vcpu *v)
{
	__asm__ volatile("clts");
	if (!cpu_features.xsave) {
		__asm__ volatile("fxsaveq %0" : "=m"(v->arch.fpu));
		return;
	}
	if (v->arch.xcr0 != cpu_features.xcr0)
		xsetbv(cpu_features.xcr0);
	__asm__ volatile("xsaveq %0" : "=m"(v->arch.fpu) : "a"(~0U), "d"(~0U));
}

void fpu_load(struct vcpu *v)
{
	struct cpu *c = this_cpu();

	if (c->fpu_owner == v && v->arch.fpu_cpu == c->id)
		goto xcr0;
	__asm__ volatile("clts");
	if (!cpu_features.xsave) {
		__asm__ volatile("fxrstorq %0" : : "m"(v->arch.fpu));
	} else {
		xsetbv(cpu_features.xcr0);
		__asm__ volatile("xrstorq %0"
				 :
				 : "m"(v->arch.fpu), "a"(~0U), "d"(~0U));
	}
	c->fpu_owner = v;
	v->arch.fpu_cpu = (u16)c->id;
xcr0:
	if (cpu_features.xsave && v->arch.xcr0 != cpu_features.xcr0)
		xsetbv(v->arch.xcr0);
}
