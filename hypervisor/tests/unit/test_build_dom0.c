// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of boot/build_dom0.c on a machine of 256 MiB with a naive allocator
 * and no validation: what the guest would find is checked by walking the page
 * tables that its first CR3 names.
 */
#include <hv/build_dom0.h>
#include <hv/elf.h>
#include <hv/errno.h>
#include <hv/log.h>
#include <hv/mm.h>

#include <arch/pagetable.h>

#include <xen/elfnote.h>
#include <xen/xen.h>

#include "boot_unit.h"

#define MACHINE_MFNS (256UL << 8)
#define MODULES_MADDR (16UL << 20) /* kernel, then initrd */
#define FIRST_FREE_MFN (80UL << 8)
#define DOM0_PAGES (80UL << 8)
#define VIRT_BASE 0xffffffff80000000UL
#define INIT_P2M 0x8000000000UL

/* ---- the machine ---- */

u64 *host_m2p;
struct frame *host_frame_table;
u8 *host_memory;
u64 frame_max_mfn = MACHINE_MFNS;

static bool frame_used[MACHINE_MFNS];
static unsigned int largest_order; /* of a domain's block: fragmentation */
static u64 table_refs, pins, validated_mfn;

/* Highest aligned free block, so that PFNs and MFNs never agree by chance. */
static struct frame *take(unsigned int order)
{
	u64 size = 1UL << order;
	u64 mfn, i;

	for (mfn = MACHINE_MFNS - size; mfn >= FIRST_FREE_MFN; mfn -= size) {
		for (i = 0; i < size && !frame_used[mfn + i]; i++)
			;
		if (i < size)
			continue;
		for (i = 0; i < size; i++)
			frame_used[mfn + i] = true;
		memset(mfn_to_virt(mfn), 0, size << PAGE_SHIFT);
		return &host_frame_table[mfn];
	}
	return NULL;
}

struct frame *frame_alloc(unsigned int order)
{
	return take(order);
}

void frame_free(struct frame *f, unsigned int order)
{
	u64 i;

	assert_int_equal(frame_mfn(f) % (1UL << order), 0);
	for (i = 0; i < 1UL << order; i++) {
		assert_true(frame_used[frame_mfn(f) + i]);
		frame_used[frame_mfn(f) + i] = false;
	}
}

u64 frame_free_count(void)
{
	u64 mfn, n = 0;

	for (mfn = FIRST_FREE_MFN; mfn < MACHINE_MFNS; mfn++)
		n += !frame_used[mfn];
	return n;
}

int frame_owner_alloc_order(struct frame_owner *o, unsigned int order,
			    struct frame **out)
{
	if (order > largest_order || o->pages + (1UL << order) > o->max_pages)
		return -ENOMEM;
	*out = take(order);
	if (!*out)
		return -ENOMEM;
	o->pages += 1UL << order;
	(*out)->owner_id = o->id;
	return 0;
}

/* Asks to be called again twice. */
int frame_get_table_locked(struct frame_owner *o, struct frame *f,
			   enum frame_type type, int *budget)
{
	static int calls;

	assert_int_equal(o->mmu_lock.locked, 1);
	assert_int_equal(type, FRAME_L4);
	assert_true(*budget > 0);
	if (++calls % 3)
		return -ERESTART;
	validated_mfn = frame_mfn(f);
	table_refs++;
	return 0;
}

int mmu_pin(struct frame_owner *o, u64 mfn, unsigned int level, int *budget)
{
	assert_int_equal(o->mmu_lock.locked, 0);
	assert_int_equal(level, 4);
	assert_true(*budget > 0);
	assert_int_equal(mfn, validated_mfn);
	pins++;
	return 0;
}

void spin_lock(struct spinlock *l)
{
	assert_int_equal(l->locked, 0);
	l->locked = 1;
}

void spin_unlock(struct spinlock *l)
{
	assert_int_equal(l->locked, 1);
	l->locked = 0;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	(void)level;
	(void)fmt;
}

/* ---- the kernel module ---- */

static struct boot_info bi;
static struct options opts;
static struct domain *dom;
static struct vcpu vcpu;
static char err[160];

static u8 *put_note(u8 *p, u32 type, u64 value)
{
	struct elf_note head = { 4, sizeof(value), type };

	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), "Xen", 4);
	memcpy(p + sizeof(head) + 4, &value, sizeof(value));
	return p + sizeof(head) + 4 + sizeof(value);
}

/* A kernel of 4 pages at 16 MiB with all notes that matter. */
static u64 make_kernel(u8 *file, bool modern)
{
	struct elf64_header h = { .ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
				  .type = ELF_TYPE_EXEC,
				  .machine = ELF_MACHINE_X86_64,
				  .phoff = sizeof(h),
				  .phentsize = 56,
				  .phnum = 2 };
	struct elf64_program_header ph[2] = {
		{ .type = ELF_PT_LOAD,
		  .offset = 0x1000,
		  .paddr = 0x1000000,
		  .filesz = 0x3800,
		  .memsz = 0x4000 },
		{ .type = ELF_PT_NOTE, .offset = 0x800 },
	};
	u8 *p = file + 0x800;
	u32 i;

	memset(file, 0, 0x4800);
	p = put_note(p, XEN_ELFNOTE_ENTRY, VIRT_BASE + 0x1000040);
	p = put_note(p, XEN_ELFNOTE_VIRT_BASE, VIRT_BASE);
	p = put_note(p, XEN_ELFNOTE_HYPERCALL_PAGE, VIRT_BASE + 0x1002000);
	if (modern) {
		p = put_note(p, XEN_ELFNOTE_INIT_P2M, INIT_P2M);
		p = put_note(p, XEN_ELFNOTE_MOD_START_PFN, 1);
		p = put_note(p, XEN_ELFNOTE_SUPPORTED_FEATURES, 0x8801);
	}
	ph[1].filesz = (u64)(p - (file + 0x800));
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), ph, sizeof(ph));
	for (i = 0x1000; i < 0x4800; i++)
		file[i] = (u8)(i * 13 + (i >> 8));
	return 0x4800;
}

static void put_initrd(u64 maddr, u64 size)
{
	u64 i;

	for (i = 0; i < size; i++)
		host_memory[maddr + i] = (u8)(i * 31 + (i >> 12));
	bi.modules[1].start_maddr = maddr;
	bi.modules[1].size_bytes = size;
	bi.module_count = 2;
}

static int set_up(void **state)
{
	(void)state;
	memset(frame_used, 0, sizeof(frame_used));
	memset(&bi, 0, sizeof(bi));
	memset(dom, 0, sizeof(*dom));
	memset(&vcpu, 0, sizeof(vcpu));
	memset(host_m2p, 0xff, MACHINE_MFNS * sizeof(u64));
	memset(host_frame_table, 0, MACHINE_MFNS * sizeof(struct frame));
	table_refs = pins = 0;
	largest_order = FRAME_ORDER_MAX;
	dom->vcpus[0] = &vcpu;
	dom->vcpu_count = 1;
	dom->shared_info = mfn_to_virt(3);
	opts = (struct options){ .dom0_mem_bytes = DOM0_PAGES << PAGE_SHIFT };
	bi.module_count = 1;
	bi.modules[0].start_maddr = MODULES_MADDR;
	bi.modules[0].size_bytes =
		make_kernel(host_memory + MODULES_MADDR, true);
	strcpy(bi.modules[0].line, "console=hvc0 root=/dev/xvda1");
	return 0;
}

static int build(void)
{
	err[0] = '\0';
	return build_dom0(dom, &bi, &opts, err, sizeof(err));
}

/* ---- what the guest sees ---- */

/* The L1 entry for va; 0: not mapped. */
static u64 walk(u64 va)
{
	u64 e = vcpu.arch.kernel_cr3 | PTE_P;
	unsigned int level;

	for (level = 4; level >= 1; level--) {
		const u64 *table = maddr_to_virt(e & PTE_ADDR_MASK);

		e = table[pt_index(va, level)];
		if (!(e & PTE_P))
			return 0;
		if (level > 1)
			assert_int_equal(e & ~PTE_ADDR_MASK, 0x67);
	}
	return e;
}

static void *at_va(u64 va)
{
	u64 e = walk(va);

	assert_int_not_equal(e, 0);
	return (u8 *)maddr_to_virt(e & PTE_ADDR_MASK) + (va & ~PAGE_MASK);
}

static const struct start_info *start_info(void)
{
	return at_va(vcpu.arch.regs.rsi);
}

static u64 mfn_of_pfn(u64 pfn)
{
	const u64 *entry = at_va(start_info()->mfn_list + pfn * sizeof(u64));

	return *entry;
}

/* p2m and m2p are inverse, and no frame serves twice. */
static void expect_all_memory_owned_once(void)
{
	static bool seen[MACHINE_MFNS];
	u64 pfn;

	memset(seen, 0, sizeof(seen));
	for (pfn = 0; pfn < start_info()->nr_pages; pfn++) {
		u64 mfn = mfn_of_pfn(pfn);

		assert_true(mfn < MACHINE_MFNS && frame_used[mfn]);
		assert_false(seen[mfn]);
		seen[mfn] = true;
		assert_int_equal(host_m2p[mfn], pfn);
	}
	assert_int_equal(dom->owner.pages, start_info()->nr_pages);
}

/* Every page of the area is mapped to the PFN of its place, tables read-only,
 * and nothing else is mapped around it. */
static void expect_linear_area(u64 area_end)
{
	const struct start_info *si = start_info();
	u64 pt_end = si->pt_base + si->nr_pt_frames * PAGE_SIZE;
	u64 va;

	for (va = VIRT_BASE; va < area_end; va += PAGE_SIZE) {
		u64 e = walk(va);
		bool table = va >= si->pt_base && va < pt_end;

		assert_int_equal(e & ~PTE_ADDR_MASK, table ? 0x65 : 0x67);
		assert_int_equal(pte_mfn(e),
				 mfn_of_pfn((va - VIRT_BASE) >> PAGE_SHIFT));
	}
	assert_int_equal(walk(area_end), 0);
	assert_int_equal(walk(VIRT_BASE - PAGE_SIZE), 0);
	assert_int_equal(pte_mfn(walk(si->pt_base)),
			 vcpu.arch.kernel_cr3 >> PAGE_SHIFT);
}

/* All tables in use for va are inside [start, end) of PFNs. */
static void expect_tables_within(u64 va, u64 start, u64 end)
{
	u64 e = vcpu.arch.kernel_cr3 | PTE_P;
	unsigned int level;

	for (level = 4; level > 1; level--) {
		const u64 *table = maddr_to_virt(e & PTE_ADDR_MASK);
		u64 pfn;

		e = table[pt_index(va, level)];
		pfn = host_m2p[pte_mfn(e)];
		assert_true(pfn >= start && pfn < end);
	}
}

static void expect_kernel_loaded(void)
{
	static const u8 zeros[0x800];
	const u8 *file = host_memory + MODULES_MADDR;
	u32 i;

	for (i = 0; i < 2; i++)
		assert_memory_equal(at_va(VIRT_BASE + 0x1000000 + i * 4096),
				    file + 0x1000 + i * 4096, 4096);
	assert_memory_equal(at_va(VIRT_BASE + 0x1003000), file + 0x4000, 0x800);
	assert_memory_equal(at_va(VIRT_BASE + 0x1003800), zeros, 0x800);
}

static void expect_no_scratch_left(void)
{
	assert_int_equal(frame_free_count() + dom->owner.pages,
			 MACHINE_MFNS - FIRST_FREE_MFN);
}

/* ---- tests ---- */

static void guest_finds_everything_in_its_place(void **state)
{
	const struct dom0_vga_console_info *video;
	const struct start_info *si;
	u64 i;

	(void)state;
	put_initrd(MODULES_MADDR + 0x10000, 3 * 4096 + 5);
	if (build())
		fail_msg("%s", err);
	si = start_info();
	assert_string_equal(si->magic, "xen-3.0-x86_64p");
	assert_int_equal(si->nr_pages, DOM0_PAGES);
	assert_int_equal(si->shared_info, 3 * 4096);
	assert_int_equal(si->flags, 0x0b);
	assert_int_equal(si->store_evtchn, 0);
	assert_int_equal(si->mfn_list, INIT_P2M);
	assert_string_equal((const char *)si->cmd_line,
			    "console=hvc0 root=/dev/xvda1");
	assert_int_equal(si->console.dom0.info_off, 0x490);
	assert_int_equal(si->console.dom0.info_size, 0x28);
	video = at_va(vcpu.arch.regs.rsi + si->console.dom0.info_off);
	assert_int_equal(video->video_type, 0x70);

	/* 16 MiB and 4 pages, rounded up to 4 MiB: 10 L1s, 13 tables. */
	assert_int_equal(vcpu.arch.regs.rsi, VIRT_BASE + 0x1004000);
	assert_int_equal(si->pt_base, VIRT_BASE + 0x1005000);
	assert_int_equal(si->nr_pt_frames, 13);
	assert_int_equal(vcpu.arch.regs.rsp, VIRT_BASE + 0x1013000);
	expect_linear_area(VIRT_BASE + 0x1400000);
	expect_tables_within(VIRT_BASE, 0x1005, 0x1012);
	expect_tables_within(VIRT_BASE + 0x13ff000, 0x1005, 0x1012);
	expect_tables_within(INIT_P2M, si->first_p2m_pfn,
			     si->first_p2m_pfn + si->nr_p2m_frames);
	assert_int_equal(si->nr_p2m_frames, DOM0_PAGES / 512 + 3);
	for (i = 0; i < DOM0_PAGES / 512; i++)
		assert_int_equal(walk(INIT_P2M + i * 4096),
				 mfn_of_pfn(si->first_p2m_pfn + i) << 12 |
					 0x67);
	assert_int_equal(walk(INIT_P2M + i * 4096), 0);
	expect_all_memory_owned_once();
	expect_kernel_loaded();

	assert_int_equal(si->mod_len, 3 * 4096 + 5);
	for (i = 0; i < si->mod_len; i++) {
		const u8 *page = mfn_to_virt(
			mfn_of_pfn(si->mod_start + (i >> PAGE_SHIFT)));

		assert_int_equal(page[i & ~PAGE_MASK],
				 host_memory[MODULES_MADDR + 0x10000 + i]);
	}
	expect_no_scratch_left();
}

static void vcpu_starts_as_the_abi_says(void **state)
{
	struct guest_regs expected = { .rip = VIRT_BASE + 0x1000040,
				       .cs = 0xe033,
				       .ss = 0xe02b,
				       .rflags = 0x202 };

	(void)state;
	assert_int_equal(build(), 0);
	expected.rsi = vcpu.arch.regs.rsi;
	expected.rsp = vcpu.arch.regs.rsp;
	assert_memory_equal(&vcpu.arch.regs, &expected, sizeof(expected));
	assert_int_equal(vcpu.arch.in_kernel, 1);
	assert_int_equal(vcpu.arch.user_cr3, 0);
	assert_int_equal(vcpu.arch.kernel_cr3, validated_mfn << PAGE_SHIFT);
	assert_int_equal(table_refs, 1);
	assert_int_equal(pins, 1);
	assert_int_equal(start_info()->mod_start, 0);
	assert_int_equal(start_info()->mod_len, 0);
}

static void hypercall_page_has_its_stubs(void **state)
{
	static const u8 stub_12[] = {
		0x51, 0x41, 0x53, 0xb8, 12,   0,    0,
		0,    0x0f, 0x05, 0x41, 0x5b, 0x59, 0xc3
	};
	static const u8 stub_iret[] = { 0x51, 0x41, 0x53, 0x50, 0xb8, 23,
					0,    0,    0,    0x0f, 0x05, 0xcc };
	const u8 *page;

	(void)state;
	assert_int_equal(build(), 0);
	page = at_va(VIRT_BASE + 0x1002000);
	assert_memory_equal(page + 12 * 32, stub_12, sizeof(stub_12));
	assert_memory_equal(page + 23 * 32, stub_iret, sizeof(stub_iret));
	assert_int_equal(page[12 * 32 + sizeof(stub_12)], 0xcc);
}

static void fragmented_memory_is_enough(void **state)
{
	u64 mfn;

	(void)state;
	/* Single frames, every fifth one taken; the p2m fits order 6. */
	for (mfn = FIRST_FREE_MFN + (64UL << 8); mfn < MACHINE_MFNS; mfn += 5)
		frame_used[mfn] = true;
	largest_order = 6;
	put_initrd(MODULES_MADDR + 0x10000, 100000);
	if (build())
		fail_msg("%s", err);
	expect_all_memory_owned_once();
	expect_linear_area(VIRT_BASE + 0x1400000);
	expect_kernel_loaded();
}

static void p2m_may_overlap_where_it_was(void **state)
{
	u64 pages;

	(void)state;
	/* The block of 64 pages was at the end, 40 of them hold the list;
	 * the initrd pushes it to places before and behind that. */
	for (pages = 0; pages < 80; pages += 3) {
		set_up(NULL);
		put_initrd(MODULES_MADDR + 0x10000,
			   (DOM0_PAGES - 0x1400 - 40 - 3 - pages) * 4096);
		if (build())
			fail_msg("%lu: %s", pages, err);
		expect_all_memory_owned_once();
		expect_kernel_loaded();
	}
}

static void old_kernel_gets_everything_mapped(void **state)
{
	const struct start_info *si;

	(void)state;
	make_kernel(host_memory + MODULES_MADDR, false);
	put_initrd(MODULES_MADDR + 0x10000, 5000);
	if (build())
		fail_msg("%s", err);
	si = start_info();
	assert_int_equal(si->flags, 0x03);
	assert_int_equal(si->mod_start, VIRT_BASE + 0x1004000);
	assert_memory_equal(at_va(si->mod_start),
			    host_memory + bi.modules[1].start_maddr, 4096);
	assert_int_equal(si->mfn_list, VIRT_BASE + 0x1006000);
	assert_int_equal(si->nr_p2m_frames, 0);
	expect_all_memory_owned_once();
	expect_linear_area(VIRT_BASE + 0x1400000);
}

static void failures_say_why_and_keep_no_scratch(void **state)
{
	(void)state;
	bi.module_count = 0;
	assert_int_equal(build(), -ENOENT);
	assert_non_null(strstr(err, "no module"));

	set_up(NULL);
	host_memory[MODULES_MADDR] = 0;
	assert_int_equal(build(), -EINVAL);
	assert_non_null(strstr(err, "neither a bzImage nor"));
	expect_no_scratch_left();

	set_up(NULL);
	put_initrd(MODULES_MADDR + 0x10000, 64UL << 20);
	assert_int_equal(build(), -ENOMEM);
	assert_non_null(strstr(err, "too little memory"));
	expect_no_scratch_left();

	set_up(NULL);
	memset(frame_used, 1, MACHINE_MFNS - (100UL << 8));
	assert_int_equal(build(), -ENOMEM);
	assert_non_null(strstr(err, "36 MiB left for Domain 0"));

	set_up(NULL);
	memset(bi.modules[0].line, 'x', 1024);
	bi.modules[0].line[1024] = '\0';
	assert_int_equal(build(), -E2BIG);
	bi.modules[0].line[1023] = '\0';
	set_up(NULL);
	assert_int_equal(build(), 0);
}

static void domain0_size_leaves_a_reserve(void **state)
{
	struct options o = { 0 };

	(void)state;
	assert_int_equal(dom0_pages(&o, 0), 0);
	assert_int_equal(dom0_pages(&o, 512UL << 8), 448UL << 8);
	assert_int_equal(dom0_pages(&o, 2048UL << 8), 1920UL << 8);
	assert_int_equal(dom0_pages(&o, 1UL << 26), (1UL << 26) - (1UL << 18));
	o.dom0_mem_bytes = 100UL << 20;
	assert_int_equal(dom0_pages(&o, 512UL << 8), 100UL << 8);
	o.dom0_mem_bytes = 500UL << 20;
	assert_int_equal(dom0_pages(&o, 512UL << 8), 448UL << 8);
}

static void distribution_kernel_is_built_like_on_real_xen(void **state)
{
	FILE *f = fopen("/boot/vmlinuz-6.1.0-57-amd64", "rb");
	const struct start_info *si;

	(void)state;
	if (!f)
		skip();
	bi.modules[0].size_bytes =
		fread(host_memory + MODULES_MADDR, 1, 40UL << 20, f);
	fclose(f);
	opts.dom0_mem_bytes = 100UL << 20;
	put_initrd(60UL << 20, 0xfbbdb);
	if (build())
		fail_msg("%s", err);
	si = start_info();
	assert_int_equal(vcpu.arch.regs.rip, 0xffffffff830791c0);
	assert_int_equal(vcpu.arch.regs.rsi, 0xffffffff84a00000);
	assert_int_equal(vcpu.arch.regs.rsp, 0xffffffff84a2b000);
	assert_int_equal(si->pt_base, 0xffffffff84a01000);
	assert_int_equal(si->nr_pt_frames, 0x29);
	assert_int_equal(si->mod_start, 0x4c00);
	assert_int_equal(si->mod_len, 0xfbbdb);
	assert_int_equal(si->nr_p2m_frames, 50 + 3);
	expect_linear_area(0xffffffff84c00000);
	expect_all_memory_owned_once();
	expect_no_scratch_left();
	/* startup_xen begins with CLD (guest-abi 1.7). */
	assert_int_equal(*(u8 *)at_va(vcpu.arch.regs.rip), 0xfc);
}

static int make_machine(void **state)
{
	(void)state;
	host_memory = aligned_alloc(PAGE_SIZE, MACHINE_MFNS << PAGE_SHIFT);
	host_m2p = calloc(MACHINE_MFNS, sizeof(u64));
	host_frame_table = calloc(MACHINE_MFNS, sizeof(struct frame));
	dom = calloc(1, sizeof(*dom));
	return host_memory && host_m2p && host_frame_table && dom ? 0 : -1;
}

static int free_machine(void **state)
{
	(void)state;
	free(host_memory);
	free(host_m2p);
	free(host_frame_table);
	free(dom);
	return 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, set_up)
	const struct CMUnitTest tests[] = {
		TEST(guest_finds_everything_in_its_place),
		TEST(vcpu_starts_as_the_abi_says),
		TEST(hypercall_page_has_its_stubs),
		TEST(fragmented_memory_is_enough),
		TEST(p2m_may_overlap_where_it_was),
		TEST(old_kernel_gets_everything_mapped),
		TEST(failures_say_why_and_keep_no_scratch),
		TEST(domain0_size_leaves_a_reserve),
		TEST(distribution_kernel_is_built_like_on_real_xen),
	};

	return cmocka_run_group_tests(tests, make_machine, free_machine);
}
