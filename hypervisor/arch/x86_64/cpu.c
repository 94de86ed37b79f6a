/* SPDX-License-Identifier: Apache-2.0 */
/* What the CPU can do, and the set-up that every CPU gets. */
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>

#include <arch/internal.h>
#include <arch/pagetable.h>
#include <arch/x86.h>

struct cpu *cpus[MAX_CPUS];
unsigned int cpu_count = 1;
struct cpu_features cpu_features;
u64 pte_allowed_nx;

#define STACK_ORDER 2 /* 16 KiB */

/* Stacks of #DB, NMI, #DF and #MC; see ist_entry. */
#define IST_COUNT 4
#define IST_STACK_BYTES PAGE_SIZE

static struct cpu boot_cpu;
static struct tss boot_tss;
static struct desc_page boot_desc ALIGNED(4096);
static u8 boot_ist[IST_COUNT][IST_STACK_BYTES] ALIGNED(4096);
extern char boot_stack_top[];
/* What Debian's libraries, built for user space, find at FS base: their stack
 * canary at offset 0x28. Used at boot only; guests have their own FS. */
static const u8 library_tls[64] ALIGNED(64);

static void detect_xsave(void)
{
	u32 a, b, c, d;

	cpuid(1, 0, &a, &b, &c, &d);
	if (!(c >> 26 & 1))
		return;
	cpuid(0xd, 0, &a, &b, &c, &d);
	cpu_features.xcr0 = a & 7;
	if ((cpu_features.xcr0 & 3) != 3)
		return;
	cpu_features.xsave = true;
	cpu_features.xsave_bytes = cpu_features.xcr0 & 4 ? 832 : 576;
}

void cpu_detect(void)
{
	u32 a, b, c, d, max;

	cpuid(0, 0, &max, &b, &c, &d);
	cpu_features.intel = b == 0x756e6547;
	detect_xsave();
	cpuid(1, 0, &a, &b, &c, &d);
	cpu_features.rdrand = c >> 30 & 1;
	if (max >= 7) {
		cpuid(7, 0, &a, &b, &c, &d);
		cpu_features.smep = b >> 7 & 1;
	}
	cpuid(0x80000001, 0, &a, &b, &c, &d);
	cpu_features.nx = d >> 20 & 1;
	cpu_features.page1gb = d >> 26 & 1;
	pte_allowed_nx = cpu_features.nx ? PTE_NX : 0;
	cpuid(0x80000000, 0, &max, &b, &c, &d);
	cpu_features.physical_bits = 36;
	if (max >= 0x80000008) {
		cpuid(0x80000008, 0, &a, &b, &c, &d);
		cpu_features.physical_bits = a & 0xff;
	}
}

static void cpu_link(struct cpu *c, unsigned int id, u32 apic_id, u64 stack_top,
		     u8 *ist)
{
	c->self = c;
	c->id = id;
	c->apic_id = apic_id;
	c->stack_top = stack_top;
	c->regs_end = stack_top;
	c->gdt_vcpu = ~0UL;
	for (unsigned int i = 0; i < IST_COUNT; i++) {
		u64 top = (u64)ist + (i + 1) * IST_STACK_BYTES - 16;

		*(struct cpu **)top = c;
		c->tss->ist[i] = top;
	}
	c->tss->rsp[0] = stack_top;
	c->tss->iomap_base = sizeof(struct tss);
	cpus[id] = c;
}

struct cpu *cpu_create_boot(void)
{
	boot_cpu.tss = &boot_tss;
	boot_cpu.desc = &boot_desc;
	boot_cpu.desc_mfn = ((u64)&boot_desc - IMAGE_VIRT) >> PAGE_SHIFT;
	cpu_link(&boot_cpu, 0, 0, (u64)boot_stack_top, boot_ist[0]);
	return &boot_cpu;
}

/* For a secondary CPU: one block holds struct cpu and TSS, the descriptor
 * page, the IST stacks; another the stack. NULL: no memory. */
struct cpu *cpu_create(unsigned int id, u32 apic_id)
{
	struct frame *data = frame_alloc(3), *stack = frame_alloc(STACK_ORDER);
	u8 *page;
	struct cpu *c;

	if (!data || !stack)
		return NULL;
	page = mfn_to_virt(frame_mfn(data));
	c = (struct cpu *)page;
	c->tss = (struct tss *)(page + 2048);
	c->desc = (struct desc_page *)(page + PAGE_SIZE);
	c->desc_mfn = frame_mfn(data) + 1;
	cpu_link(c, id, apic_id,
		 (u64)mfn_to_virt(frame_mfn(stack)) +
			 (PAGE_SIZE << STACK_ORDER),
		 page + 2 * PAGE_SIZE);
	return c;
}

void cpu_setup(struct cpu *c)
{
	u64 cr4 = read_cr4();

	descriptor_tables_start(c);
	wrmsr(MSR_GS_BASE, (u64)c);
	wrmsr(MSR_KERNEL_GS_BASE, 0);
	wrmsr(MSR_FS_BASE, (u64)library_tls);
	cr4 |= CR4_DE | CR4_OSFXSR | CR4_OSXMMEXCPT;
	if (cpu_features.xsave)
		cr4 |= CR4_OSXSAVE;
	if (cpu_features.smep)
		cr4 |= CR4_SMEP;
	write_cr4(cr4);
	fpu_init_cpu();
	wrmsr(MSR_STAR, (u64)SEL_FLAT_CS32 << 48 | (u64)SEL_HV_CS << 32);
	wrmsr(MSR_LSTAR, (u64)syscall_entry);
	wrmsr(MSR_CSTAR, (u64)syscall32_entry);
	/* Everything a guest could leave set that matters to us. */
	wrmsr(MSR_FMASK, 0x257fd5 & ~2UL);
	if (cpu_features.intel) {
		wrmsr(MSR_SYSENTER_CS, SEL_HV_CS);
		wrmsr(MSR_SYSENTER_ESP, c->stack_top);
		wrmsr(MSR_SYSENTER_EIP, (u64)sysenter_entry);
	}
	/* The PAT that the ABI promises (guest-abi 2.4). */
	wrmsr(MSR_PAT, 0x0000050100070406UL);
	c->online = 1;
}
