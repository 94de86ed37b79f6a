/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel file (bzImage or plain ELF) for a paravirtual domain: what must be
 * loaded where, and its Xen notes.
 *
 * Two steps, so that data is written once: open reads the headers and knows
 * the span of the image; load streams the file's bytes to where the caller
 * wants each guest address. For a compressed kernel the notes are known only
 * after load.
 */
#ifndef HV_KERNEL_IMAGE_H
#define HV_KERNEL_IMAGE_H

#include <hv/decompress.h>
#include <hv/types.h>

#define KERNEL_SEGMENTS_MAX 16
/* Largest kernel after decompression. */
#define KERNEL_BYTES_MAX (256UL << 20)

enum kernel_status {
	KERNEL_OK = 0,
	KERNEL_NOT_RECOGNISED, /* neither bzImage nor 64-bit x86 ELF */
	KERNEL_TRUNCATED,
	KERNEL_UNSUPPORTED_COMPRESSION,
	KERNEL_CORRUPT,
	KERNEL_TOO_LARGE,
	KERNEL_BAD_ELF,
	KERNEL_OVERLAP, /* two segments at one address */
	KERNEL_BAD_NOTE,
	KERNEL_NO_PV_ENTRY,
	KERNEL_NO_MEMORY,
};

/* Bits of kernel_notes.present are 1 << XEN_ELFNOTE_x. */
struct kernel_notes {
	u32 present;
	u64 entry;
	u64 virt_base;
	u64 paddr_offset;
	u64 hypercall_page;
	u64 init_p2m;
	u64 hv_start_low;
	u64 supported_features; /* bits of XENFEAT_x */
	bool mod_start_pfn;     /* takes its initrd as a PFN */
	char features[128];
	char guest_os[16];
	char guest_version[16];
	char loader[16];
};

struct kernel_segment {
	u64 file_offset, file_bytes;
	u64 paddr, memory_bytes;
};

struct kernel_image {
	enum compression compression;
	bool is_bzimage;
	u64 elf_bytes; /* uncompressed */
	struct kernel_segment segments[KERNEL_SEGMENTS_MAX];
	u32 segment_count;          /* ordered by file_offset */
	u64 start_paddr, end_paddr; /* page aligned span of all segments */
	struct kernel_notes notes;
	char error[160]; /* after a failure */
	/* Private to kernel_image.c. */
	struct decompressor stream;
	struct scratch scratch;
	u8 *header; /* first bytes of the ELF file */
	u64 header_bytes;
	u8 *note_data;
	u64 note_offset, note_bytes;
	bool notes_read;
};

struct kernel_sink {
	/* Zeroed memory for guest address paddr; *contiguous gets how many
	 * bytes follow in one piece (at least 1). Only addresses within the
	 * image's span are asked for. */
	void *(*at)(void *ctx, u64 paddr, u64 *contiguous);
	void *ctx;
};

enum kernel_status kernel_image_open(struct kernel_image *k, const void *file,
				     u64 file_bytes,
				     const struct scratch *scratch) MUST_CHECK;
/* Once, after a successful open; file and scratch memory still there. */
enum kernel_status kernel_image_load(struct kernel_image *k,
				     const struct kernel_sink *sink) MUST_CHECK;

/* The numbers and strings of the owner-"Xen" notes in data. */
enum kernel_status kernel_notes_parse(struct kernel_notes *notes,
				      const u8 *data, u64 size_bytes, char *err,
				      size_t err_size) MUST_CHECK;

static inline bool kernel_note_present(const struct kernel_notes *n, u32 type)
{
	return (n->present >> type) & 1;
}

#endif
