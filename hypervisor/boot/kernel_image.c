// SPDX-License-Identifier: Apache-2.0
/*
 * Finds the ELF file in a kernel file, checks its headers and streams its
 * segments to their places. All numbers come from the file: every sum is
 * checked before it is used, and nothing is read beyond the file.
 */
#include <hv/elf.h>
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/kernel_image.h>
#include <hv/string.h>

#include <xen/elfnote.h>

/* All of the ELF header and program headers must be in here. */
#define HEADER_BYTES 4096UL
#define NOTES_BYTES_MAX 16384UL
/* Pieces in which bytes outside the segments are decoded and dropped. */
#define SKIP_BYTES 65536UL

#define FAIL(k, code, ...)                                                     \
	(hv_snprintf((k)->error, sizeof((k)->error), __VA_ARGS__), (code))

/* Fields of a bzImage by their offset in the file. */
#define BZ_SETUP_SECTORS 0x1f1
#define BZ_BOOT_FLAG 0x1fe
#define BZ_MAGIC 0x202
#define BZ_VERSION 0x206
#define BZ_PAYLOAD_OFFSET 0x248
#define BZ_PAYLOAD_BYTES 0x24c
#define BZ_HEADER_END 0x250
#define BZ_VERSION_WITH_PAYLOAD 0x208

static u16 read_u16(const u8 *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u32 read_u32(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static bool is_bzimage(const u8 *file, u64 size)
{
	return size >= BZ_HEADER_END &&
	       read_u16(file + BZ_BOOT_FLAG) == 0xaa55 &&
	       memcmp(file + BZ_MAGIC, "HdrS", 4) == 0;
}

/* Narrows *data to the payload of the bzImage. */
static enum kernel_status find_payload(struct kernel_image *k, const u8 **data,
				       u64 *size)
{
	const u8 *file = *data;
	u64 sectors = file[BZ_SETUP_SECTORS];
	u64 start, bytes;

	if (read_u16(file + BZ_VERSION) < BZ_VERSION_WITH_PAYLOAD)
		return FAIL(k, KERNEL_NOT_RECOGNISED,
			    "bzImage of boot protocol %x: older than 2.08",
			    read_u16(file + BZ_VERSION));
	if (sectors == 0)
		sectors = 4;
	start = (sectors + 1) * 512 + read_u32(file + BZ_PAYLOAD_OFFSET);
	bytes = read_u32(file + BZ_PAYLOAD_BYTES);
	if (start > *size || bytes > *size - start)
		return FAIL(
			k, KERNEL_TRUNCATED,
			"payload of the bzImage ends at %lu, the file at %lu",
			start + bytes, *size);
	*data = file + start;
	*size = bytes;
	return KERNEL_OK;
}

static enum kernel_status stream_error(struct kernel_image *k, int rc)
{
	if (rc == 0)
		return KERNEL_OK;
	if (k->stream.error && k->compression == COMPRESSION_NONE)
		return FAIL(k, KERNEL_TRUNCATED, "kernel: %s", k->stream.error);
	return FAIL(k, rc == -ENOMEM ? KERNEL_NO_MEMORY : KERNEL_CORRUPT,
		    "kernel payload: %s", k->stream.error);
}

/* Starts decoding; the last 4 bytes of a compressed payload are the size. */
static enum kernel_status open_stream(struct kernel_image *k, const u8 *data,
				      u64 size)
{
	k->compression = compression_of(data, size);
	if (k->compression == COMPRESSION_NONE) {
		k->elf_bytes = size;
	} else if (!compression_supported(k->compression)) {
		if (!k->is_bzimage)
			return FAIL(
				k, KERNEL_NOT_RECOGNISED,
				"kernel is neither a bzImage nor an ELF file");
		return FAIL(
			k, KERNEL_UNSUPPORTED_COMPRESSION,
			"kernel compression %s is not supported (gzip, xz, zstd and lz4 are)",
			compression_name(k->compression));
	} else {
		if (size < sizeof(u32))
			return FAIL(k, KERNEL_TRUNCATED, "payload of %lu bytes",
				    size);
		k->elf_bytes = read_u32(data + size - sizeof(u32));
		/* gzip's own trailer is that size; others have it added. */
		if (k->compression != COMPRESSION_GZIP)
			size -= sizeof(u32);
	}
	if (k->elf_bytes > KERNEL_BYTES_MAX)
		return FAIL(k, KERNEL_TOO_LARGE,
			    "kernel of %lu bytes: the limit is %lu",
			    k->elf_bytes, KERNEL_BYTES_MAX);
	return stream_error(k, decompress_start(&k->stream, k->compression,
						data, size, &k->scratch));
}

static enum kernel_status check_header(struct kernel_image *k,
				       struct elf64_header *h)
{
	static const u8 ident[] = { 0x7f, 'E',          'L',
				    'F',  ELF_CLASS_64, ELF_DATA_LITTLE };

	if (k->header_bytes < sizeof(*h))
		return FAIL(k, KERNEL_BAD_ELF, "ELF file of %lu bytes",
			    k->elf_bytes);
	memcpy(h, k->header, sizeof(*h));
	if (memcmp(h->ident, ident, sizeof(ident)) != 0 ||
	    h->machine != ELF_MACHINE_X86_64 ||
	    (h->type != ELF_TYPE_EXEC && h->type != ELF_TYPE_DYN))
		return FAIL(k, KERNEL_NOT_RECOGNISED,
			    "kernel is not a 64-bit x86 ELF file");
	if (h->phentsize != sizeof(struct elf64_program_header) ||
	    h->phoff > k->header_bytes ||
	    (u64)h->phnum * h->phentsize > k->header_bytes - h->phoff)
		return FAIL(
			k, KERNEL_BAD_ELF,
			"%u program headers of %u bytes at %lx are not at the start of the ELF file",
			h->phnum, h->phentsize, h->phoff);
	return KERNEL_OK;
}

/* Keeps the list ordered by offset in the file, which is how it is read. */
static void insert_segment(struct kernel_image *k,
			   const struct kernel_segment *s)
{
	u32 i = k->segment_count++;

	for (; i > 0 && k->segments[i - 1].file_offset > s->file_offset; i--)
		k->segments[i] = k->segments[i - 1];
	k->segments[i] = *s;
}

static enum kernel_status add_segment(struct kernel_image *k,
				      const struct elf64_program_header *ph)
{
	struct kernel_segment s = { ph->offset, ph->filesz, ph->paddr,
				    ph->memsz };
	u64 file_end, end;

	if (__builtin_add_overflow(ph->offset, ph->filesz, &file_end) ||
	    file_end > k->elf_bytes || ph->filesz > ph->memsz)
		return FAIL(k, KERNEL_BAD_ELF,
			    "segment at %lx goes beyond the ELF file",
			    ph->paddr);
	if (ph->memsz == 0)
		return KERNEL_OK;
	if (__builtin_add_overflow(ph->paddr, ph->memsz, &end) ||
	    end > ALIGN_DOWN(~0UL, PAGE_SIZE))
		return FAIL(k, KERNEL_BAD_ELF,
			    "segment at %lx ends beyond any address",
			    ph->paddr);
	if (k->segment_count == KERNEL_SEGMENTS_MAX)
		return FAIL(k, KERNEL_BAD_ELF, "more than %u segments",
			    KERNEL_SEGMENTS_MAX);
	insert_segment(k, &s);
	return KERNEL_OK;
}

static enum kernel_status set_notes(struct kernel_image *k,
				    const struct elf64_program_header *ph)
{
	u64 end;

	/* One is what linkers write; the first counts. */
	if (k->note_bytes || ph->filesz == 0)
		return KERNEL_OK;
	if (ph->filesz > NOTES_BYTES_MAX ||
	    __builtin_add_overflow(ph->offset, ph->filesz, &end) ||
	    end > k->elf_bytes)
		return FAIL(k, KERNEL_BAD_NOTE, "ELF notes of %lu bytes at %lx",
			    ph->filesz, ph->offset);
	k->note_offset = ph->offset;
	k->note_bytes = ph->filesz;
	k->note_data = k->scratch.alloc(k->scratch.ctx, ph->filesz);
	if (!k->note_data)
		return FAIL(k, KERNEL_NO_MEMORY, "no memory for ELF notes");
	return KERNEL_OK;
}

/* No two segments share bytes of the file or of memory. */
static enum kernel_status check_overlaps(struct kernel_image *k)
{
	u32 i, j;

	for (i = 0; i < k->segment_count; i++) {
		const struct kernel_segment *a = &k->segments[i];

		for (j = i + 1; j < k->segment_count; j++) {
			const struct kernel_segment *b = &k->segments[j];

			if (a->paddr < b->paddr + b->memory_bytes &&
			    b->paddr < a->paddr + a->memory_bytes)
				return FAIL(k, KERNEL_OVERLAP,
					    "segments at %lx and %lx overlap",
					    a->paddr, b->paddr);
			if (a->file_offset + a->file_bytes > b->file_offset &&
			    b->file_bytes)
				return FAIL(
					k, KERNEL_BAD_ELF,
					"segments at %lx and %lx share bytes of the file",
					a->paddr, b->paddr);
		}
	}
	return KERNEL_OK;
}

static enum kernel_status read_program_headers(struct kernel_image *k)
{
	struct elf64_header h;
	enum kernel_status st = check_header(k, &h);
	u32 i;

	if (st != KERNEL_OK)
		return st;
	k->start_paddr = ~0UL;
	for (i = 0; i < h.phnum; i++) {
		struct elf64_program_header ph;

		memcpy(&ph, k->header + h.phoff + i * sizeof(ph), sizeof(ph));
		if (ph.type == ELF_PT_LOAD)
			st = add_segment(k, &ph);
		else if (ph.type == ELF_PT_NOTE)
			st = set_notes(k, &ph);
		if (st != KERNEL_OK)
			return st;
	}
	if (k->segment_count == 0)
		return FAIL(k, KERNEL_BAD_ELF, "ELF file with no segment");
	for (i = 0; i < k->segment_count; i++) {
		const struct kernel_segment *s = &k->segments[i];

		k->start_paddr =
			MIN(k->start_paddr, ALIGN_DOWN(s->paddr, PAGE_SIZE));
		k->end_paddr =
			MAX(k->end_paddr,
			    ALIGN_UP(s->paddr + s->memory_bytes, PAGE_SIZE));
	}
	if (k->end_paddr - k->start_paddr > KERNEL_BYTES_MAX)
		return FAIL(k, KERNEL_TOO_LARGE,
			    "kernel spans %lu bytes: the limit is %lu",
			    k->end_paddr - k->start_paddr, KERNEL_BYTES_MAX);
	return check_overlaps(k);
}

/* Keeps the part of [offset, offset + size) that belongs to the notes. */
static void keep_notes(struct kernel_image *k, u64 offset, const u8 *data,
		       u64 size)
{
	u64 start = MAX(offset, k->note_offset);
	u64 end = MIN(offset + size, k->note_offset + k->note_bytes);

	if (start < end)
		memcpy(k->note_data + (start - k->note_offset),
		       data + (start - offset), end - start);
}

static enum kernel_status parse_notes(struct kernel_image *k)
{
	k->notes_read = true;
	return kernel_notes_parse(&k->notes, k->note_data, k->note_bytes,
				  k->error, sizeof(k->error));
}

enum kernel_status kernel_image_open(struct kernel_image *k, const void *file,
				     u64 file_bytes,
				     const struct scratch *scratch)
{
	const u8 *data = file;
	enum kernel_status st;

	memset(k, 0, sizeof(*k));
	k->scratch = *scratch;
	k->is_bzimage = is_bzimage(data, file_bytes);
	if (k->is_bzimage) {
		st = find_payload(k, &data, &file_bytes);
		if (st != KERNEL_OK)
			return st;
	}
	st = open_stream(k, data, file_bytes);
	if (st != KERNEL_OK)
		return st;
	k->header_bytes = MIN(k->elf_bytes, HEADER_BYTES);
	k->header = scratch->alloc(scratch->ctx, HEADER_BYTES);
	if (!k->header)
		return FAIL(k, KERNEL_NO_MEMORY, "no memory for ELF headers");
	st = stream_error(
		k, decompress_read(&k->stream, k->header, k->header_bytes));
	if (st != KERNEL_OK)
		return st;
	st = read_program_headers(k);
	if (st != KERNEL_OK || k->compression != COMPRESSION_NONE)
		return st;
	keep_notes(k, 0, data, file_bytes);
	return parse_notes(k);
}

/* Reads the next bytes of the file, from the kept header as far as it goes. */
static enum kernel_status read_file(struct kernel_image *k, u64 offset, u8 *dst,
				    u64 size)
{
	if (offset < k->header_bytes) {
		u64 part = MIN(size, k->header_bytes - offset);

		memcpy(dst, k->header + offset, part);
		if (part < size)
			return read_file(k, offset + part, dst + part,
					 size - part);
		return KERNEL_OK;
	}
	return stream_error(k, decompress_read(&k->stream, dst, size));
}

static enum kernel_status skip_to(struct kernel_image *k, u64 from, u64 to,
				  u8 *buffer)
{
	enum kernel_status st = KERNEL_OK;

	while (from < to && st == KERNEL_OK) {
		u64 size = MIN(to - from, SKIP_BYTES);

		st = read_file(k, from, buffer, size);
		keep_notes(k, from, buffer, size);
		from += size;
	}
	return st;
}

static enum kernel_status load_segment(struct kernel_image *k,
				       const struct kernel_segment *s,
				       const struct kernel_sink *sink)
{
	enum kernel_status st = KERNEL_OK;
	u64 done = 0;

	while (done < s->file_bytes && st == KERNEL_OK) {
		u64 size;
		u8 *dst = sink->at(sink->ctx, s->paddr + done, &size);

		size = MIN(size, s->file_bytes - done);
		st = read_file(k, s->file_offset + done, dst, size);
		keep_notes(k, s->file_offset + done, dst, size);
		done += size;
	}
	return st;
}

enum kernel_status kernel_image_load(struct kernel_image *k,
				     const struct kernel_sink *sink)
{
	u8 *buffer = k->scratch.alloc(k->scratch.ctx, SKIP_BYTES);
	enum kernel_status st;
	u64 at = 0;
	u32 i;

	if (!buffer)
		return FAIL(k, KERNEL_NO_MEMORY, "no memory for a buffer");
	for (i = 0; i < k->segment_count; i++) {
		const struct kernel_segment *s = &k->segments[i];

		if (s->file_bytes == 0)
			continue;
		st = skip_to(k, at, s->file_offset, buffer);
		if (st == KERNEL_OK)
			st = load_segment(k, s, sink);
		if (st != KERNEL_OK)
			return st;
		at = s->file_offset + s->file_bytes;
	}
	/* What follows is dropped, but the check sum covers it. */
	if (k->compression == COMPRESSION_NONE)
		return KERNEL_OK;
	st = skip_to(k, at, k->elf_bytes, buffer);
	if (st == KERNEL_OK)
		st = stream_error(k, decompress_finish(&k->stream));
	if (st == KERNEL_OK && !k->notes_read)
		st = parse_notes(k);
	/* The segments have been placed as if it were 0. */
	if (st == KERNEL_OK && k->notes.paddr_offset != 0)
		st = FAIL(
			k, KERNEL_BAD_NOTE,
			"Xen note paddr_offset=%lx: only an uncompressed kernel may have one",
			k->notes.paddr_offset);
	return st;
}
