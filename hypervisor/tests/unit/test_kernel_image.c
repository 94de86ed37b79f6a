// SPDX-License-Identifier: Apache-2.0
/*
 * Tests of boot/kernel_image.c, kernel_notes.c and decompress.c: small ELF
 * files made here, packed in every way, and the distribution's own kernel
 * when it is installed.
 */
#include <glob.h>
#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <hv/elf.h>
#include <hv/kernel_image.h>

#include <xen/elfnote.h>
#include <xen/features.h>

#include "../fake/boot_fakes.h"
#include "boot_unit.h"

#define ELF_BYTES 0x6000U
#define NOTES_AT 0x5000U
#define TEXT_PADDR 0x200000UL
#define DATA_PADDR 0x204000UL
#define VIRT_BASE 0xffffffff80000000UL

/* ---- a small kernel ---- */

struct small_elf {
	u8 bytes[ELF_BYTES];
	struct elf64_header *header;
	struct elf64_program_header *text, *data, *notes;
	u32 note_bytes;
};

static struct small_elf elf;

static void add_note(u32 type, const void *desc, u32 size)
{
	struct elf_note head = { 4, size, type };
	u8 *p = elf.bytes + NOTES_AT + elf.note_bytes;

	memcpy(p, &head, sizeof(head));
	memcpy(p + sizeof(head), "Xen", 4);
	memcpy(p + sizeof(head) + 4, desc, size);
	elf.note_bytes += (u32)(sizeof(head) + 4 + ALIGN_UP((u64)size, 4));
	elf.notes->filesz = elf.note_bytes;
}

static void add_number(u32 type, u64 value)
{
	add_note(type, &value, sizeof(value));
}

/* Text at a page of its own, data with bss of which a part is in the first
 * 4 KiB of nothing: file bytes 0x1000..0x3000 and 0x4000..0x4800. */
static int make_elf(void **state)
{
	static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	struct elf64_program_header *ph;
	u32 i;

	(void)state;
	memset(&elf, 0, sizeof(elf));
	elf.header = (void *)elf.bytes;
	memcpy(elf.header->ident, ident, sizeof(ident));
	elf.header->type = ELF_TYPE_EXEC;
	elf.header->machine = ELF_MACHINE_X86_64;
	elf.header->phoff = sizeof(*elf.header);
	elf.header->phentsize = sizeof(*ph);
	elf.header->phnum = 3;
	ph = (void *)(elf.bytes + sizeof(*elf.header));
	elf.text = &ph[0];
	elf.data = &ph[1];
	elf.notes = &ph[2];
	*elf.text = (struct elf64_program_header){
		ELF_PT_LOAD, 5,      0x1000, VIRT_BASE + TEXT_PADDR,
		TEXT_PADDR,  0x2000, 0x2000, 0x1000
	};
	*elf.data = (struct elf64_program_header){
		ELF_PT_LOAD, 6, 0x4000, 0, DATA_PADDR, 0x800, 0x1800, 0x1000
	};
	*elf.notes = (struct elf64_program_header){ .type = ELF_PT_NOTE,
						    .offset = NOTES_AT };
	for (i = 0x1000; i < 0x4800; i++)
		elf.bytes[i] = (u8)(i * 7 + (i >> 8));
	add_number(XEN_ELFNOTE_ENTRY, VIRT_BASE + TEXT_PADDR + 0x10);
	add_number(XEN_ELFNOTE_VIRT_BASE, VIRT_BASE);
	return 0;
}

/* ---- loading ---- */

struct loaded {
	struct kernel_image k;
	struct fake_scratch scratch;
	u8 *memory; /* guest addresses from k.start_paddr on */
	u64 step;   /* longest piece that the sink hands out */
};

static void *sink_at(void *ctx, u64 paddr, u64 *contiguous)
{
	struct loaded *l = ctx;
	u64 left = l->k.end_paddr - paddr;

	assert_true(paddr >= l->k.start_paddr && paddr < l->k.end_paddr);
	*contiguous = MIN(left, l->step);
	return l->memory + (paddr - l->k.start_paddr);
}

static enum kernel_status load(struct loaded *l, const void *file, u64 size,
			       u64 step)
{
	struct kernel_sink sink = { sink_at, l };
	enum kernel_status st;
	/* Exactly sized, for the address sanitizer. */
	void *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, file, size);
	memset(l, 0, sizeof(*l));
	l->step = step;
	fake_scratch_init(&l->scratch, 256UL << 20);
	st = kernel_image_open(&l->k, copy, size, &l->scratch.memory);
	if (st == KERNEL_OK) {
		l->memory = calloc(1, l->k.end_paddr - l->k.start_paddr);
		assert_non_null(l->memory);
		st = kernel_image_load(&l->k, &sink);
	}
	free(copy);
	return st;
}

static void unload(struct loaded *l)
{
	free(l->memory);
	fake_scratch_exit(&l->scratch);
}

static void expect_loaded(const struct loaded *l)
{
	static const u8 zeros[0x1000];

	assert_int_equal(l->k.start_paddr, TEXT_PADDR);
	assert_int_equal(l->k.end_paddr, DATA_PADDR + 0x2000);
	assert_memory_equal(l->memory, elf.bytes + 0x1000, 0x2000);
	assert_memory_equal(l->memory + 0x4000, elf.bytes + 0x4000, 0x800);
	assert_memory_equal(l->memory + 0x4800, zeros, 0x1000);
	assert_int_equal(l->k.notes.entry, VIRT_BASE + TEXT_PADDR + 0x10);
	assert_int_equal(l->k.notes.virt_base, VIRT_BASE);
}

static void expect_status(const void *file, u64 size, enum kernel_status want,
			  const char *text)
{
	struct loaded l;
	enum kernel_status st = load(&l, file, size, PAGE_SIZE);

	if (st != want || !strstr(l.k.error, text))
		fail_msg("status %d \"%s\", wanted %d \"%s\"", st, l.k.error,
			 want, text);
	unload(&l);
}

static void expect_elf_status(enum kernel_status want, const char *text)
{
	expect_status(elf.bytes, ELF_BYTES, want, text);
}

/* ---- packing ---- */

struct packed {
	u8 bytes[3 * ELF_BYTES];
	size_t size;
};

static struct packed file;

static size_t pack(enum compression c, u8 *out, size_t room, bool crc64)
{
	lzma_options_lzma lzma;
	lzma_filter filters[] = { { LZMA_FILTER_X86, NULL },
				  { LZMA_FILTER_LZMA2, &lzma },
				  { LZMA_VLI_UNKNOWN, NULL } };
	z_stream z = { 0 };
	size_t at = 0;

	switch (c) {
	case COMPRESSION_XZ:
		assert_false(lzma_lzma_preset(&lzma, 6));
		assert_int_equal(
			lzma_stream_buffer_encode(
				filters,
				crc64 ? LZMA_CHECK_CRC64 : LZMA_CHECK_CRC32,
				NULL, elf.bytes, ELF_BYTES, out, &at, room),
			LZMA_OK);
		return at;
	case COMPRESSION_GZIP:
		assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 9,
					      Z_DEFAULT_STRATEGY),
				 Z_OK);
		z.next_in = elf.bytes;
		z.avail_in = ELF_BYTES;
		z.next_out = out;
		z.avail_out = (uInt)room;
		assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
		deflateEnd(&z);
		return room - z.avail_out;
	case COMPRESSION_ZSTD:
		at = ZSTD_compress(out, room, elf.bytes, ELF_BYTES, 19);
		assert_false(ZSTD_isError(at));
		return at;
	case COMPRESSION_LZ4:
		/* Two blocks, each with its length before it. */
		memcpy(out, "\x02\x21\x4c\x18", 4);
		at = 4;
		for (int i = 0; i < 2; i++) {
			int n = LZ4_compress_default(
				(char *)elf.bytes + i * ELF_BYTES / 2,
				(char *)out + at + 4, ELF_BYTES / 2,
				(int)(room - at - 4));

			assert_true(n > 0);
			memcpy(out + at, &n, 4);
			at += 4 + (size_t)n;
		}
		return at;
	default:
		memcpy(out, elf.bytes, ELF_BYTES);
		return ELF_BYTES;
	}
}

#define PAYLOAD_AT (512U * 3 + 0x100)

/* The ELF file compressed in a bzImage of two set-up sectors. */
static void make_bzimage(enum compression c, bool crc64)
{
	u32 size_field = ELF_BYTES;
	u32 offset = 0x100, bytes;
	size_t n;

	memset(&file, 0, sizeof(file));
	n = pack(c, file.bytes + PAYLOAD_AT, sizeof(file.bytes) - PAYLOAD_AT,
		 crc64);
	if (c != COMPRESSION_NONE && c != COMPRESSION_GZIP) {
		memcpy(file.bytes + PAYLOAD_AT + n, &size_field, 4);
		n += 4;
	}
	file.bytes[0x1f1] = 2;
	file.bytes[0x1fe] = 0x55;
	file.bytes[0x1ff] = 0xaa;
	memcpy(file.bytes + 0x202, "HdrS", 4);
	file.bytes[0x206] = 0x0f;
	file.bytes[0x207] = 0x02;
	bytes = (u32)n;
	memcpy(file.bytes + 0x248, &offset, 4);
	memcpy(file.bytes + 0x24c, &bytes, 4);
	file.size = PAYLOAD_AT + n;
}

static const enum compression kinds[] = { COMPRESSION_NONE, COMPRESSION_GZIP,
					  COMPRESSION_XZ, COMPRESSION_ZSTD,
					  COMPRESSION_LZ4 };

/* ---- tests ---- */

static void plain_elf_is_loaded_by_physical_address(void **state)
{
	struct loaded l;

	(void)state;
	assert_int_equal(load(&l, elf.bytes, ELF_BYTES, 4096), KERNEL_OK);
	expect_loaded(&l);
	assert_false(l.k.is_bzimage);
	unload(&l);
}

static void every_compression_gives_the_same_image(void **state)
{
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		static const u64 steps[] = { 1UL << 30, 4096, 1000, 1 };

		make_bzimage(kinds[i], false);
		for (j = 0; j < ARRAY_SIZE(steps); j++) {
			struct loaded l;
			enum kernel_status st =
				load(&l, file.bytes, file.size, steps[j]);

			if (st != KERNEL_OK)
				fail_msg("%s: %s", compression_name(kinds[i]),
					 l.k.error);
			assert_int_equal(l.k.compression, kinds[i]);
			assert_true(l.k.is_bzimage);
			expect_loaded(&l);
			unload(&l);
		}
	}
}

static void segments_in_the_first_page_of_the_file_are_loaded(void **state)
{
	struct loaded l;

	(void)state;
	/* Text from within the header's page and across its end. */
	elf.text->offset = 0x800;
	elf.text->filesz = elf.text->memsz = 0x1000;
	make_bzimage(COMPRESSION_XZ, false);
	assert_int_equal(load(&l, file.bytes, file.size, 4096), KERNEL_OK);
	assert_memory_equal(l.memory, elf.bytes + 0x800, 0x1000);
	unload(&l);
}

static void notes_inside_a_segment_are_read(void **state)
{
	struct loaded l;

	(void)state;
	memcpy(elf.bytes + 0x1f00, elf.bytes + NOTES_AT, elf.note_bytes);
	elf.notes->offset = 0x1f00;
	make_bzimage(COMPRESSION_GZIP, false);
	/* Pieces of 7 bytes: the notes come in many parts. */
	assert_int_equal(load(&l, file.bytes, file.size, 7), KERNEL_OK);
	expect_loaded(&l);
	unload(&l);
}

static void flipped_byte_anywhere_never_changes_what_is_loaded(void **state)
{
	size_t i, at;

	(void)state;
	/* Formats with a check sum of the data. What still passes did not
	 * matter: gzip's time stamp, or another way to say the same. */
	for (i = 1; i < 3; i++) {
		make_bzimage(kinds[i], false);
		for (at = PAYLOAD_AT; at < file.size; at += 3) {
			struct loaded l;
			enum kernel_status st;

			file.bytes[at] ^= 0x10;
			st = load(&l, file.bytes, file.size, 4096);
			if (st == KERNEL_OK)
				expect_loaded(&l);
			unload(&l);
			file.bytes[at] ^= 0x10;
		}
	}
}

static void flipped_byte_of_lz4_stays_in_bounds(void **state)
{
	(void)state;
	/* It has no check sum: whatever comes out, the sanitizer watches. */
	make_bzimage(COMPRESSION_LZ4, false);
	for (size_t at = PAYLOAD_AT; at < file.size; at += 13) {
		struct loaded l;

		file.bytes[at] ^= 0xff;
		(void)load(&l, file.bytes, file.size, 4096);
		unload(&l);
		file.bytes[at] ^= 0xff;
	}
}

static void truncated_payload_is_refused_at_every_length(void **state)
{
	size_t i;

	(void)state;
	for (i = 1; i < ARRAY_SIZE(kinds); i++) {
		u32 bytes, n;

		make_bzimage(kinds[i], false);
		memcpy(&bytes, file.bytes + 0x24c, 4);
		for (n = 0; n < bytes; n += 5) {
			struct loaded l;
			u32 size_field = ELF_BYTES;
			u8 saved[4];

			/* Cut, yet with the right size at its end. */
			memcpy(file.bytes + 0x24c, &n, 4);
			if (n >= 4) {
				memcpy(saved, file.bytes + PAYLOAD_AT + n - 4,
				       4);
				memcpy(file.bytes + PAYLOAD_AT + n - 4,
				       &size_field, 4);
			}
			assert_int_not_equal(
				load(&l, file.bytes, file.size, 4096),
				KERNEL_OK);
			unload(&l);
			if (n >= 4)
				memcpy(file.bytes + PAYLOAD_AT + n - 4, saved,
				       4);
		}
	}
}

static void wrong_size_field_is_refused(void **state)
{
	u32 wrong = ELF_BYTES - 1;

	(void)state;
	make_bzimage(COMPRESSION_XZ, false);
	memcpy(file.bytes + file.size - 4, &wrong, 4);
	expect_status(file.bytes, file.size, KERNEL_CORRUPT,
		      "longer than its stated size");
	wrong = ELF_BYTES + 1;
	memcpy(file.bytes + file.size - 4, &wrong, 4);
	expect_status(file.bytes, file.size, KERNEL_CORRUPT,
		      "shorter than its stated size");
	wrong = (256U << 20) + 1;
	memcpy(file.bytes + file.size - 4, &wrong, 4);
	expect_status(file.bytes, file.size, KERNEL_TOO_LARGE,
		      "268435457 bytes");
}

static void check_other_than_crc32_is_named(void **state)
{
	(void)state;
	make_bzimage(COMPRESSION_XZ, true);
	expect_status(file.bytes, file.size, KERNEL_CORRUPT,
		      "xz check is not CRC32");
}

static void unsupported_compression_is_named(void **state)
{
	(void)state;
	make_bzimage(COMPRESSION_GZIP, false);
	memcpy(file.bytes + PAYLOAD_AT, "\x89LZO\0", 5);
	expect_status(file.bytes, file.size, KERNEL_UNSUPPORTED_COMPRESSION,
		      "compression lzo");
	memcpy(file.bytes + PAYLOAD_AT, "BZh9", 4);
	expect_status(file.bytes, file.size, KERNEL_UNSUPPORTED_COMPRESSION,
		      "compression bzip2");
	memcpy(file.bytes + PAYLOAD_AT, "????", 4);
	expect_status(file.bytes, file.size, KERNEL_UNSUPPORTED_COMPRESSION,
		      "compression unknown");
}

static void too_little_scratch_memory_is_said(void **state)
{
	struct kernel_image k;
	struct fake_scratch s;
	u64 limit;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		make_bzimage(kinds[i], false);
		for (limit = 0; limit < 4096; limit += 512) {
			fake_scratch_init(&s, limit);
			assert_int_equal(kernel_image_open(&k, file.bytes,
							   file.size,
							   &s.memory),
					 KERNEL_NO_MEMORY);
			assert_non_null(strstr(k.error, "no memory"));
			fake_scratch_exit(&s);
		}
	}
}

static void files_of_another_kind_are_not_recognised(void **state)
{
	(void)state;
	expect_status("", 0, KERNEL_NOT_RECOGNISED, "neither");
	expect_status("MZ\0\0", 4, KERNEL_NOT_RECOGNISED, "neither");
	expect_status(elf.bytes, 63, KERNEL_BAD_ELF, "63 bytes");
	elf.header->machine = 40;
	expect_elf_status(KERNEL_NOT_RECOGNISED, "64-bit x86");
	make_bzimage(COMPRESSION_XZ, false);
	file.bytes[0x206] = 7;
	expect_status(file.bytes, file.size, KERNEL_NOT_RECOGNISED,
		      "older than 2.08");
	file.bytes[0x206] = 15;
	expect_status(file.bytes, file.size - 1, KERNEL_TRUNCATED, "payload");
}

static void headers_out_of_bounds_are_refused(void **state)
{
	(void)state;
	elf.header->phoff = 4096 - 100;
	expect_elf_status(KERNEL_BAD_ELF, "program headers");
	elf.header->phoff = ~0UL - 8;
	expect_elf_status(KERNEL_BAD_ELF, "program headers");
	make_elf(NULL);
	elf.header->phentsize = 32;
	expect_elf_status(KERNEL_BAD_ELF, "32 bytes");
	make_elf(NULL);
	elf.data->offset = ELF_BYTES - 0x7ff;
	expect_elf_status(KERNEL_BAD_ELF, "beyond the ELF file");
	elf.data->offset = ~0UL - 0x10;
	expect_elf_status(KERNEL_BAD_ELF, "beyond the ELF file");
	make_elf(NULL);
	elf.data->memsz = 0x7ff;
	expect_elf_status(KERNEL_BAD_ELF, "beyond the ELF file");
	make_elf(NULL);
	elf.data->paddr = ~0UL - 0x1000;
	expect_elf_status(KERNEL_BAD_ELF, "beyond any address");
	make_elf(NULL);
	elf.data->paddr = TEXT_PADDR + (257UL << 20);
	expect_elf_status(KERNEL_TOO_LARGE, "spans");
	make_elf(NULL);
	elf.text->type = elf.data->type = 0;
	expect_elf_status(KERNEL_BAD_ELF, "no segment");
}

static void overlapping_segments_are_refused(void **state)
{
	(void)state;
	elf.data->paddr = TEXT_PADDR + 0x1fff;
	expect_elf_status(KERNEL_OVERLAP, "overlap");
	elf.data->paddr = TEXT_PADDR - 0x17ff;
	expect_elf_status(KERNEL_OVERLAP, "overlap");
	make_elf(NULL);
	elf.data->offset = 0x2fff;
	expect_elf_status(KERNEL_BAD_ELF, "share bytes");
}

static void kernel_without_a_pv_entry_is_refused(void **state)
{
	(void)state;
	elf.notes->type = 0;
	expect_elf_status(KERNEL_NO_PV_ENTRY, "no Xen PV entry");
	make_elf(NULL);
	memcpy(elf.bytes + NOTES_AT + 12, "GNU", 4);
	expect_elf_status(KERNEL_NO_PV_ENTRY, "no Xen PV entry");
}

static void bad_notes_are_refused(void **state)
{
	u32 huge = 0x10000;

	(void)state;
	memcpy(elf.bytes + NOTES_AT + 4, &huge, 4);
	expect_elf_status(KERNEL_BAD_NOTE, "cut short");
	make_elf(NULL);
	add_note(XEN_ELFNOTE_INIT_P2M, "abc", 3);
	expect_elf_status(KERNEL_BAD_NOTE, "note 15 has a bad size of 3");
	make_elf(NULL);
	add_number(XEN_ELFNOTE_INIT_P2M, 0xffff800000000000);
	expect_elf_status(KERNEL_BAD_NOTE, "init_p2m=ffff800000000000");
	make_elf(NULL);
	add_number(XEN_ELFNOTE_INIT_P2M, 0x800000000000);
	expect_elf_status(KERNEL_BAD_NOTE, "init_p2m=800000000000");
	make_elf(NULL);
	add_number(XEN_ELFNOTE_HYPERCALL_PAGE, VIRT_BASE + TEXT_PADDR + 8);
	expect_elf_status(KERNEL_BAD_NOTE, "hypercall_page");
	make_elf(NULL);
	elf.notes->filesz = 0x2000;
	expect_elf_status(KERNEL_BAD_NOTE, "ELF notes");
}

static void paddr_offset_works_for_a_plain_file_only(void **state)
{
	struct loaded l;

	(void)state;
	add_number(XEN_ELFNOTE_PADDR_OFFSET, 0x100000);
	assert_int_equal(load(&l, elf.bytes, ELF_BYTES, 4096), KERNEL_OK);
	assert_int_equal(l.k.notes.paddr_offset, 0x100000);
	unload(&l);
	make_bzimage(COMPRESSION_XZ, false);
	expect_status(file.bytes, file.size, KERNEL_BAD_NOTE,
		      "paddr_offset=100000");
}

/* ---- the real thing ---- */

static void distribution_kernel_has_the_known_numbers(void **state)
{
	struct loaded l;
	glob_t g;
	u8 *bytes;
	FILE *f;
	long size;

	(void)state;
	if (glob("/boot/vmlinuz-6.1.0-57-amd64", 0, NULL, &g))
		skip();
	f = fopen(g.gl_pathv[0], "rb");
	globfree(&g);
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	fclose(f);
	if (load(&l, bytes, (u64)size, 1UL << 20) != KERNEL_OK)
		fail_msg("%s", l.k.error);
	free(bytes);

	assert_int_equal(l.k.compression, COMPRESSION_XZ);
	assert_int_equal(l.k.elf_bytes, 65906612);
	assert_int_equal(l.k.segment_count, 4);
	assert_int_equal(l.k.segments[0].paddr, 0x1000000);
	assert_int_equal(l.k.segments[0].file_bytes, 0x18eacdc);
	assert_int_equal(l.k.segments[1].paddr, 0x2a00000);
	assert_int_equal(l.k.segments[1].memory_bytes, 0x644000);
	assert_int_equal(l.k.segments[2].paddr, 0x3044000);
	assert_int_equal(l.k.segments[2].memory_bytes, 0x35000);
	assert_int_equal(l.k.segments[3].paddr, 0x3079000);
	assert_int_equal(l.k.segments[3].memory_bytes, 0x1987000);
	assert_int_equal(l.k.start_paddr, 0x1000000);
	assert_int_equal(l.k.end_paddr, 0x4a00000);
	assert_int_equal(l.k.notes.entry, 0xffffffff830791c0);
	assert_int_equal(l.k.notes.virt_base, 0xffffffff80000000);
	assert_int_equal(l.k.notes.paddr_offset, 0);
	assert_int_equal(l.k.notes.init_p2m, 0x8000000000);
	assert_int_equal(l.k.notes.hv_start_low, 0xffff800000000000);
	assert_int_equal(l.k.notes.supported_features, 0x8801);
	assert_true(l.k.notes.supported_features & 1U << XENFEAT_dom0);
	assert_true(l.k.notes.mod_start_pfn);
	assert_false(
		kernel_note_present(&l.k.notes, XEN_ELFNOTE_HYPERCALL_PAGE));
	assert_string_equal(l.k.notes.guest_os, "linux");
	assert_string_equal(l.k.notes.features,
			    "!writable_page_tables|pae_pgdir_above_4gb");
	/* startup_xen begins with CLD (guest-abi 1.7). */
	assert_int_equal(l.memory[0x30791c0 - 0x1000000], 0xfc);
	unload(&l);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, make_elf)
	const struct CMUnitTest tests[] = {
		TEST(plain_elf_is_loaded_by_physical_address),
		TEST(every_compression_gives_the_same_image),
		TEST(segments_in_the_first_page_of_the_file_are_loaded),
		TEST(notes_inside_a_segment_are_read),
		TEST(flipped_byte_anywhere_never_changes_what_is_loaded),
		TEST(flipped_byte_of_lz4_stays_in_bounds),
		TEST(truncated_payload_is_refused_at_every_length),
		TEST(wrong_size_field_is_refused),
		TEST(check_other_than_crc32_is_named),
		TEST(unsupported_compression_is_named),
		TEST(too_little_scratch_memory_is_said),
		TEST(files_of_another_kind_are_not_recognised),
		TEST(headers_out_of_bounds_are_refused),
		TEST(overlapping_segments_are_refused),
		TEST(kernel_without_a_pv_entry_is_refused),
		TEST(bad_notes_are_refused),
		TEST(paddr_offset_works_for_a_plain_file_only),
		TEST(distribution_kernel_has_the_known_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
