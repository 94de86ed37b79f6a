// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of build/: a small kernel made here is built into a domain of the fake
 * hypervisor, and what the domain would find is looked at from its page tables
 * on. Each fault of the files has its own error.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hv/elf.h>
#include <hv/kernel_image.h>

#include <xen/elfnote.h>
#include <xen/xen.h>

#include "../fake/fake_hv.h"
#include "build/builder.h"
#include "unit.h"

#define VIRT_BASE 0xffffffff80000000UL
#define TEXT_PADDR 0x200000UL
#define INIT_P2M 0x8000000000UL
#define NOTES_AT 0x3000U
#define FILE_BYTES 0x3400U
#define MEMORY_BYTES (14UL << 20)

static u8 file[FILE_BYTES];
static u32 note_bytes;
static char kernel_path[] = "/tmp/test_builder_kernel_XXXXXX";
static char ramdisk_path[] = "/tmp/test_builder_ramdisk_XXXXXX";

static struct hv hv;
static struct build_request request;
static struct built_domain built;
static struct error err;

static void add_note(u32 type, u64 value)
{
	struct elf_note head = { 4, sizeof(value), type };
	u8 *p = file + NOTES_AT + note_bytes;

	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), "Xen", 4);
	memcpy(p + sizeof(head) + 4, &value, sizeof(value));
	note_bytes += sizeof(head) + 4 + sizeof(value);
}

/* Text of two pages and half a page of bss. */
static void make_kernel(void)
{
	static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	struct elf64_header h = {
		.type = ELF_TYPE_EXEC,
		.machine = ELF_MACHINE_X86_64,
		.phoff = sizeof(h),
		.phentsize = sizeof(struct elf64_program_header),
		.phnum = 2,
	};
	struct elf64_program_header p[2] = {
		{ .type = ELF_PT_LOAD,
		  .offset = 0x1000,
		  .paddr = TEXT_PADDR,
		  .filesz = 0x2000,
		  .memsz = 0x2800 },
		{ .type = ELF_PT_NOTE, .offset = NOTES_AT },
	};

	memset(file, 0, sizeof(file));
	note_bytes = 0;
	for (u32 i = 0x1000; i < 0x3000; i++)
		file[i] = (u8)(i * 7 + (i >> 8));
	add_note(XEN_ELFNOTE_ENTRY, VIRT_BASE + TEXT_PADDR + 0x10);
	add_note(XEN_ELFNOTE_VIRT_BASE, VIRT_BASE);
	add_note(XEN_ELFNOTE_INIT_P2M, INIT_P2M);
	add_note(XEN_ELFNOTE_MOD_START_PFN, 1);
	add_note(XEN_ELFNOTE_HYPERCALL_PAGE, VIRT_BASE + TEXT_PADDR + 0x1000);
	memcpy(h.ident, ident, sizeof(ident));
	p[1].filesz = note_bytes;
	memcpy(file, &h, sizeof(h));
	memcpy(file + sizeof(h), p, sizeof(p));
}

static void write_file(const char *path, const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	fake_hv_init(&hv);
	make_kernel();
	request = (struct build_request){
		.kernel = kernel_path,
		.ramdisk = ramdisk_path,
		.command_line = "console=hvc0 x",
		.memory_bytes = MEMORY_BYTES,
		.max_memory_bytes = MEMORY_BYTES,
		.vcpus = 1,
	};
	write_file(ramdisk_path, "ramdisk of a few bytes", 22);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fake_hv_exit(&hv);
	return 0;
}

static int build(void)
{
	write_file(kernel_path, file, sizeof(file));
	return build_domain(&hv, &request, &built, &err);
}

static void expect_error(enum error_code code)
{
	assert_int_equal(build(), -1);
	if (err.code != code)
		fail_msg("%s: %s", error_word(err.code), err.message);
	assert_false(hv.exists);
	assert_true(err.message[0] != '\0');
}

/* The entry that maps va. */
static u64 walk(u64 va)
{
	u64 entry = hv.l4_mfn << PAGE_SHIFT;

	for (int level = 4; level >= 1; level--) {
		const u64 *table = (void *)fake_page(
			&hv, (entry & 0xffffffffff000UL) >> PAGE_SHIFT);

		entry = table[(va >> (3 + 9 * level)) % 512];
		assert_true(entry & 1);
		assert_true(entry & 4);
	}
	return entry;
}

static u8 *at(u64 va)
{
	return fake_page(&hv, (walk(va) & 0xffffffffff000UL) >> PAGE_SHIFT) +
	       va % PAGE_SIZE;
}

static void kernel_is_where_it_was_linked(void **state)
{
	(void)state;
	assert_int_equal(build(), 0);
	assert_true(hv.pinned && hv.started);
	assert_int_equal(hv.start.entry, VIRT_BASE + TEXT_PADDR + 0x10);
	assert_memory_equal(at(VIRT_BASE + TEXT_PADDR), file + 0x1000, 0x1000);
	/* The second page became the hypercall page: push %rcx. */
	assert_int_equal(*at(VIRT_BASE + TEXT_PADDR + 0x1000), 0x51);
	assert_int_equal(*at(VIRT_BASE + TEXT_PADDR + 0x2000), 0);
}

static void start_info_tells_where_everything_is(void **state)
{
	const struct start_info *si;

	(void)state;
	assert_int_equal(build(), 0);
	si = (void *)at(hv.start.start_info);
	assert_string_equal(si->magic, "xen-3.0-x86_64");
	assert_string_equal((const char *)si->cmd_line, "console=hvc0 x");
	assert_int_equal(si->nr_pages, MEMORY_BYTES / PAGE_SIZE);
	assert_int_equal(si->shared_info, 0x1234UL << PAGE_SHIFT);
	assert_int_equal(si->flags, SIF_MOD_START_PFN);
	assert_int_equal(si->store_evtchn, built.store_port);
	assert_int_equal(si->console.domU.evtchn, built.console_port);
	assert_int_not_equal(si->store_evtchn, si->console.domU.evtchn);
	assert_int_equal(si->store_mfn, hv.store_frame);
	assert_int_equal(si->console.domU.mfn, hv.console_frame);
	assert_int_equal(si->mfn_list, INIT_P2M);
	assert_int_equal(si->mod_len, 22);
	assert_ptr_equal(at(si->pt_base), fake_page(&hv, hv.l4_mfn));
}

static void ramdisk_and_p2m_are_there(void **state)
{
	const struct start_info *si;
	const u64 *p2m;

	(void)state;
	assert_int_equal(build(), 0);
	si = (void *)at(hv.start.start_info);
	p2m = (const u64 *)(void *)at(INIT_P2M);
	assert_int_equal(p2m[0], FAKE_MFN_TOP);
	assert_int_equal(p2m[TEXT_PADDR >> PAGE_SHIFT],
			 FAKE_MFN_TOP - (TEXT_PADDR >> PAGE_SHIFT));
	assert_memory_equal(fake_page(&hv, p2m[si->mod_start]),
			    "ramdisk of a few bytes", 22);
}

static void tables_are_mapped_read_only(void **state)
{
	const struct start_info *si;

	(void)state;
	assert_int_equal(build(), 0);
	si = (void *)at(hv.start.start_info);
	for (u64 i = 0; i < si->nr_pt_frames; i++)
		assert_false(walk(si->pt_base + i * PAGE_SIZE) & 2);
	assert_true(walk(si->pt_base - PAGE_SIZE) & 2);
	assert_true(walk(si->pt_base + si->nr_pt_frames * PAGE_SIZE) & 2);
	assert_true(walk(hv.start.stack_end - 8) & 2);
}

static void missing_files_are_told_apart(void **state)
{
	(void)state;
	request.ramdisk = "/nonexistent";
	expect_error(ERR_MISSING_RAMDISK);
	request.ramdisk = "";
	assert_int_equal(build(), 0);
	hv.exists = false;
	request.kernel = "/nonexistent";
	expect_error(ERR_NOT_FOUND);
}

static void kernel_without_entry_is_refused(void **state)
{
	(void)state;
	/* Its first note is another one now. */
	file[NOTES_AT + 8] = XEN_ELFNOTE_L1_MFN_VALID;
	expect_error(ERR_NO_PV_ENTRY);
}

static void bad_note_is_refused(void **state)
{
	u64 low = 0xffff800000000000UL;

	(void)state;
	memcpy(file + NOTES_AT + 16, &low, sizeof(low));
	expect_error(ERR_BAD_NOTE);
}

static void entry_outside_the_kernel_is_refused(void **state)
{
	u64 outside = VIRT_BASE + 0x10;

	(void)state;
	memcpy(file + NOTES_AT + 16, &outside, sizeof(outside));
	expect_error(ERR_BAD_NOTE);
}

static void broken_payload_is_refused(void **state)
{
	(void)state;
	/* Starts as gzip and goes on as nothing. */
	memset(file, 0, sizeof(file));
	memcpy(file + 0x1f1, "\4", 1);
	memcpy(file + 0x1fe, "\x55\xaa", 2);
	memcpy(file + 0x202, "HdrS\x0f\x02", 6);
	file[0x24d] = 2;
	memcpy(file + 5 * 512, "\x1f\x8b\x08", 3);
	expect_error(ERR_CORRUPT_PAYLOAD);
	memset(file, 'x', sizeof(file));
	expect_error(ERR_NOT_A_KERNEL);
}

static void too_little_memory_is_told(void **state)
{
	(void)state;
	request.memory_bytes = 4 << 20;
	expect_error(ERR_TOO_LITTLE_MEMORY);
	request.memory_bytes = MEMORY_BYTES + PAGE_SIZE;
	expect_error(ERR_INVALID);
}

static void full_node_leaves_no_domain(void **state)
{
	(void)state;
	hv.fail_populate_after = 100;
	expect_error(ERR_NO_MEMORY);
}

static void long_command_line_leaves_no_domain(void **state)
{
	static char line[2000];

	(void)state;
	memset(line, 'a', sizeof(line) - 1);
	request.command_line = line;
	expect_error(ERR_INVALID);
}

static int make_names(void **state)
{
	(void)state;
	return close(mkstemp(kernel_path)) || close(mkstemp(ramdisk_path));
}

static int remove_names(void **state)
{
	(void)state;
	return unlink(kernel_path) || unlink(ramdisk_path);
}

#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(kernel_is_where_it_was_linked),
		T(start_info_tells_where_everything_is),
		T(ramdisk_and_p2m_are_there),
		T(tables_are_mapped_read_only),
		T(missing_files_are_told_apart),
		T(kernel_without_entry_is_refused),
		T(bad_note_is_refused),
		T(entry_outside_the_kernel_is_refused),
		T(broken_payload_is_refused),
		T(too_little_memory_is_told),
		T(full_node_leaves_no_domain),
		T(long_command_line_leaves_no_domain),
	};

	return cmocka_run_group_tests(tests, make_names, remove_names);
}
