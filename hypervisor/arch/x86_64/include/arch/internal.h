/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of arch/x86_64 know of each other; nobody else includes
 * this but boot/main.c, for the ordered start-up. */
#ifndef ARCH_INTERNAL_H
#define ARCH_INTERNAL_H

#include <hv/types.h>

#include <arch/cpu.h>

struct vcpu;
struct guest_regs;
struct acpi_info;

struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3;
	u16 iomap_base;
} PACKED;

/* The 15th page of every GDT; one copy per CPU, since TSS and LDT differ. */
struct desc_page {
	u64 entry[PAGE_SIZE / 8];
};

/* cpu.c: features found, control registers, per-CPU start */
struct cpu_features {
	bool intel;
	bool xsave;
	bool smep;
	bool nx;
	bool page1gb;
	bool rdrand;
	u64 xcr0;        /* states we save and guests may enable */
	u32 xsave_bytes; /* image size for xcr0 */
	u32 physical_bits;
};
extern struct cpu_features cpu_features;
void cpu_detect(void);
void cpu_setup(struct cpu *c); /* this CPU: CR0/CR4, MSRs, tables, FPU */
struct cpu *cpu_create_boot(void);
struct cpu *cpu_create(unsigned int id, u32 apic_id);

/* descriptor_tables.c */
void idt_init(void);
void descriptor_tables_load(struct cpu *c);
void descriptor_tables_start(struct cpu *c);
int desc_window_alloc(u32 *window) MUST_CHECK;
void desc_window_free(u32 window);
/* Page i (0..15 GDT, 16..31 LDT) of a window; mfn 0 unmaps. */
void desc_window_map(u32 window, unsigned int page, u64 mfn);
void desc_window_load_gdt(u32 window);
void desc_window_load_ldt(u32 window, u32 entries);
void cpu_set_rsp0(struct cpu *c, u64 rsp0);

/* memory_map.c */
struct boot_info;
/* Final page tables; frame table and M2P exist afterwards, and the free
 * memory is the allocator's except what boot_info's modules occupy. */
void paging_init(const struct boot_info *bi);
void *boot_alloc_pages(u64 pages);
u64 hv_cr3(void);
/* Writes the hypervisor's slots into this L4. */
void pagetable_copy_hv_slots(u64 *l4);
/* Device registers, uncached; boot only. NULL: no address space left. */
void *map_device(u64 maddr, u64 bytes);

/* local_apic.c, io_apic.c */
void local_apic_init(u64 base_maddr);
void local_apic_cpu_init(void);
u32 local_apic_id(void);
void local_apic_eoi(void);
void local_apic_ipi(u32 apic_id, u8 vector);
void local_apic_send_init(u32 apic_id);
void local_apic_send_startup(u32 apic_id, u8 page);
void local_apic_nmi_others(void);
void local_apic_timer_ticks(u32 ticks);
u32 local_apic_timer_now(void);
u64 local_apic_timer_khz(void);
void local_apic_set_timer_khz(u64 khz);
void io_apic_init(const struct acpi_info *acpi);
void io_apic_route_isa(unsigned int irq, u8 vector);

/* device.c: false: no device has that vector */
bool device_interrupt(unsigned int vector);

/* clock.c */
void clock_init(void);
void clock_guest_params(u64 *tsc_base, u32 *mul, s8 *shift);
u64 clock_boot_wall_ns(void);

/* smp_boot.c */
void smp_boot(const struct acpi_info *acpi, unsigned int max_cpus);

/* traps.c, called from entry.S and emulation */
void trap_from_guest(struct vcpu *v);
void page_fault(struct vcpu *v, u64 va);
void trap_in_hypervisor(struct guest_regs *regs);
void guest_iret_from_stack(struct vcpu *v);
void guest_iret_faulted(struct vcpu *v);
void guest_kernel_stack_bad(void);
void deliver_events(struct vcpu *v);
void deliver_nmi(struct vcpu *v);
void enter_guest_kernel(struct vcpu *v);
void enter_guest_user(struct vcpu *v);
bool extable_fixup(struct guest_regs *regs);
/* interrupts.c */
void interrupt(unsigned int vector);
void guest_work(void);

/* emulate_privileged.c: true when the instruction at rip was done. */
bool emulate_privileged(struct vcpu *v);
bool emulate_forced_cpuid(struct vcpu *v);
/* cpuid_policy.c, msr_policy.c */
void cpuid_policy_init(void);
void guest_cpuid(const struct vcpu *v, u32 leaf, u32 sub, u32 out[4]);
int guest_rdmsr(struct vcpu *v, u32 msr, u64 *value) MUST_CHECK;
int guest_wrmsr(struct vcpu *v, u32 msr, u64 value) MUST_CHECK;

/* fpu.c */
void fpu_init_cpu(void);
void fpu_init_image(struct vcpu *v);
void fpu_save(struct vcpu *v);
void fpu_load(struct vcpu *v);

/* entry.S */
void exit_to_guest(void) NORETURN;
extern char guest_iret[], syscall_entry[], syscall32_entry[], sysenter_entry[],
	vector_stubs[];

#endif
