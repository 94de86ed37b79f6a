/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the boot loader told us, whatever its protocol (Multiboot 1 or 2),
 * copied out of the loader's memory so that this memory can be reused.
 */
#ifndef HV_BOOT_INFO_H
#define HV_BOOT_INFO_H

#include <hv/machine_view.h>
#include <hv/types.h>

#define MULTIBOOT1_MAGIC 0x2badb002U
#define MULTIBOOT2_MAGIC 0x36d76289U

#define BOOT_RANGES_MAX 128
#define BOOT_MODULES_MAX 8
#define BOOT_COMMAND_LINE_BYTES 2048
#define BOOT_MODULE_LINE_BYTES 2048
#define BOOT_LOADER_NAME_BYTES 64

/* Where descriptions of one address overlap, the later in this order wins. */
enum boot_range_type {
	BOOT_RANGE_RAM,
	BOOT_RANGE_ACPI, /* tables: RAM once they have been read */
	BOOT_RANGE_ACPI_NVS,
	BOOT_RANGE_RESERVED,
	BOOT_RANGE_BAD,
};

struct boot_range {
	u64 start_maddr, end_maddr; /* page aligned, end exclusive */
	enum boot_range_type type;
};

struct boot_module {
	u64 start_maddr;
	u64 size_bytes;                    /* 0: an empty module */
	char line[BOOT_MODULE_LINE_BYTES]; /* without the file's name */
};

struct boot_info {
	/* Sorted, disjoint, neighbours of one type merged. RAM is rounded
	 * inwards to whole pages, everything else outwards. Addresses in no
	 * range are not memory. */
	struct boot_range ranges[BOOT_RANGES_MAX];
	u32 range_count;
	struct boot_module modules[BOOT_MODULES_MAX];
	u32 module_count;
	char command_line[BOOT_COMMAND_LINE_BYTES]; /* without our own name */
	char loader_name[BOOT_LOADER_NAME_BYTES];
	u8 rsdp[36];    /* the loader's copy of the ACPI root pointer */
	u32 rsdp_bytes; /* 0: none given; search for it */
};

/*
 * Fills *bi from the information at info_maddr; magic is what the loader left
 * in EAX. 0, or -EINVAL with a message in err: not a Multiboot loader, or
 * information that is malformed, out of reach or too large.
 */
int boot_info_parse(struct boot_info *bi, u32 magic, u64 info_maddr,
		    const struct machine_view *view, char *err, size_t err_size)
	MUST_CHECK;

#endif
