/* SPDX-License-Identifier: Apache-2.0 */
/* The one visible, ordered list of what happens at boot. */
#include <hv/acpi.h>
#include <hv/audit_point.h>
#include <hv/boot_info.h>
#include <hv/build_dom0.h>
#include <hv/console.h>
#include <hv/control.h>
#include <hv/dispatch.h>
#include <hv/domain.h>
#include <hv/drivers.h>
#include <hv/hold.h>
#include <hv/log.h>
#include <hv/machine.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/options.h>
#include <hv/sched.h>
#include <hv/timer.h>
#include <hv/work.h>

#include <arch/clock.h>
#include <arch/guest_time.h>
#include <arch/internal.h>

#define EARLY_REACH 0x100000000UL

static struct boot_info boot_info;
static struct acpi_info acpi;
static struct options options;

void boot_main(u32 magic, u32 info_maddr) NORETURN;

static const void *view_early(void *ctx, u64 maddr, u64 size_bytes)
{
	(void)ctx;
	if (maddr >= EARLY_REACH || size_bytes > EARLY_REACH - maddr)
		return NULL;
	return maddr_to_virt(maddr);
}

static const struct machine_view early_view = { view_early, NULL };

static void NORETURN boot_error(const char *text)
{
	log_error("boot error: %s", text);
	machine_end_on_error();
}

static void print_banner(void)
{
	u64 ram = 0;

	for (u32 i = 0; i < boot_info.range_count; i++)
		if (boot_info.ranges[i].type == BOOT_RANGE_RAM)
			ram += boot_info.ranges[i].end_maddr -
			       boot_info.ranges[i].start_maddr;
	log_info(
		"XenoServer hypervisor, %lu MiB of memory in %u ranges, boot loader %s",
		(unsigned long)(ram >> 20), boot_info.range_count,
		boot_info.loader_name[0] ? boot_info.loader_name : "unknown");
}

/* Facts first: options (and with them the console), memory, ACPI. */
static void read_facts(u32 magic, u32 info_maddr)
{
	char err[160] = "";
	int bad;

	console_init(true);
	bad = boot_info_parse(&boot_info, magic, info_maddr, &early_view, err,
			      sizeof(err));
	if (bad)
		boot_error(err);
	bad = options_parse(&options, boot_info.command_line, err, sizeof(err));
	machine_init(NULL, options.reboot);
	if (bad)
		boot_error(err);
	console_init(options.console == CONSOLE_COM1);
	log_set_level((enum log_level)options.log_level);
	print_banner();
	acpi_read(&acpi, &early_view, boot_info.rsdp, boot_info.rsdp_bytes);
	machine_init(&acpi, options.reboot);
}

static void start_drivers(void)
{
	struct pci_window windows[ACPI_PCI_SEGMENTS_MAX];

	for (u32 i = 0; i < acpi.pci_segment_count; i++)
		windows[i] = (struct pci_window){
			.maddr = acpi.pci_segments[i].maddr,
			.segment = acpi.pci_segments[i].segment,
			.first_bus = acpi.pci_segments[i].first_bus,
			.last_bus = acpi.pci_segments[i].last_bus,
		};
	drivers_init(windows, acpi.pci_segment_count);
}

static void free_modules(void)
{
	for (u32 i = 0; i < boot_info.module_count; i++) {
		const struct boot_module *m = &boot_info.modules[i];
		u64 start = ALIGN_DOWN(m->start_maddr, PAGE_SIZE);
		u64 end = ALIGN_UP(m->start_maddr + m->size_bytes, PAGE_SIZE);

		if (start < end)
			frame_alloc_add(start >> PAGE_SHIFT, end >> PAGE_SHIFT);
	}
}

static void create_domain0(void)
{
	unsigned int vcpus =
		options.dom0_max_vcpus
			? (unsigned int)options.dom0_max_vcpus
			: MIN(cpu_count, (unsigned int)DOMAIN_MAX_VCPUS);
	char err[160] = "";

	if (domain_create(0, true, vcpus, 0, &domain0))
		boot_error("too little memory for domain 0's state");
	if (build_dom0(domain0, &boot_info, &options, err, sizeof(err)))
		boot_error(err);
	log_info("domain 0: %lu MiB, %u vCPUs",
		 (unsigned long)(domain0->owner.pages >> 8), vcpus);
	free_modules();
}

void boot_main(u32 magic, u32 info_maddr)
{
	struct cpu *self = cpu_create_boot();

	cpu_detect();
	idt_init();
	cpu_setup(self);
	read_facts(magic, info_maddr);
	paging_init(&boot_info);
	local_apic_init(acpi.local_apic_maddr ? acpi.local_apic_maddr
					      : 0xfee00000);
	io_apic_init(&acpi);
	clock_init();
	meter_cpu_start(0, clock_now_ns());
	timer_cpu_init(0);
	work_start();
	sched_init(&sched_bvt, 1);
	if (sched_set_slice(options.slice_us * 1000))
		boot_error("option slice_us: not accepted by the scheduler");
	smp_boot(&acpi,
		 options.max_cpus ? (unsigned int)options.max_cpus : MAX_CPUS);
	log_info("%u CPUs, TSC %lu kHz, %lu MiB free", cpu_count,
		 (unsigned long)clock_tsc_khz(),
		 (unsigned long)(frame_free_count() >> 8));
	control_init();
	start_drivers();
	create_domain0();
	console_debug_key('m', "print the CPU meters", meter_print);
	console_debug_key('f', "print the frame counts", frames_print);
	hold_init();
	console_start_input();
	audit_init(options.audit);
	domain_start(domain0);
	dispatch_start();
}
