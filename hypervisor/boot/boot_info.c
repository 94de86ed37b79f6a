// SPDX-License-Identifier: Apache-2.0
/*
 * Reads Multiboot 1 and Multiboot 2 information. The loader is not hostile,
 * but its data may be damaged or larger than we are made for: each structure
 * is copied once through the view and every length is checked before use.
 */
#include <hv/boot_info.h>
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/string.h>

#include "memory_map.h"

/* Largest Multiboot 2 information taken seriously. */
#define MB2_TOTAL_MAX (16U << 20)
/* Entries of a memory map looked at; firmware has well below that. */
#define MAP_ENTRIES_MAX 4096U

#define MB1_FLAG_MEMORY (1U << 0)
#define MB1_FLAG_COMMAND_LINE (1U << 2)
#define MB1_FLAG_MODULES (1U << 3)
#define MB1_FLAG_MEMORY_MAP (1U << 6)
#define MB1_FLAG_LOADER_NAME (1U << 9)

struct mb1_info {
	u32 flags;
	u32 mem_lower_kib, mem_upper_kib;
	u32 boot_device;
	u32 command_line;
	u32 module_count, modules;
	u32 symbols[4];
	u32 map_bytes, map;
	u32 drives_bytes, drives;
	u32 config_table;
	u32 loader_name;
};

struct mb1_module {
	u32 start, end, string, reserved;
};

enum mb2_tag_type {
	MB2_END = 0,
	MB2_COMMAND_LINE = 1,
	MB2_LOADER_NAME = 2,
	MB2_MODULE = 3,
	MB2_MEMORY_MAP = 6,
	MB2_RSDP_OLD = 14,
	MB2_RSDP_NEW = 15,
};

struct mb2_tag {
	u32 type, size_bytes;
};

/* Both protocols describe a range alike; Multiboot 1 puts a size before. */
struct map_entry {
	u64 start, size_bytes;
	u32 type;
} PACKED;

struct parser {
	struct boot_info *bi;
	const struct machine_view *view;
	char *err;
	size_t err_size;
};

#define FAIL(p, ...)                                                           \
	(hv_snprintf((p)->err, (p)->err_size, __VA_ARGS__), -EINVAL)

static bool fetch(const struct parser *p, void *dst, u64 maddr, u64 size)
{
	const void *src = p->view->map(p->view->ctx, maddr, size);

	if (!src)
		return false;
	memcpy(dst, src, size);
	return true;
}

/* Copies a string of at most max bytes, page by page since its length is not
 * known before. False: out of reach, or no end within dst_size or max. */
static bool fetch_string(const struct parser *p, char *dst, size_t dst_size,
			 u64 maddr, u64 max)
{
	size_t done = 0;

	while (done < max) {
		u64 chunk = PAGE_SIZE - (maddr & ~PAGE_MASK);
		const char *src;
		size_t len;

		chunk = MIN(chunk, max - done);
		src = p->view->map(p->view->ctx, maddr, chunk);
		if (!src)
			return false;
		len = strnlen(src, chunk);
		if (done + len >= dst_size)
			return false;
		memcpy(dst + done, src, len);
		done += len;
		dst[done] = '\0';
		if (len < chunk)
			return true;
		maddr += chunk;
	}
	return false;
}

/*
 * A command line starts with the name of the file unless the loader is GRUB 2
 * or later, which leaves it out.
 */
static bool line_starts_with_file(const struct boot_info *bi)
{
	const char *name = bi->loader_name;

	return strncmp(name, "GRUB ", 5) != 0 || name[5] < '2' || name[5] > '9';
}

static void strip_file_name(char *line)
{
	const char *rest = line;

	while (*rest == ' ')
		rest++;
	while (*rest != '\0' && *rest != ' ')
		rest++;
	while (*rest == ' ')
		rest++;
	memmove(line, rest, strlen(rest) + 1);
}

static int add_module(const struct parser *p, u64 start, u64 end,
		      struct boot_module **out)
{
	struct boot_info *bi = p->bi;
	struct boot_module *m;

	if (bi->module_count == BOOT_MODULES_MAX)
		return FAIL(p, "more than %u modules", BOOT_MODULES_MAX);
	if (end < start)
		return FAIL(p, "module %u ends before it starts",
			    bi->module_count);
	m = &bi->modules[bi->module_count];
	m->start_maddr = start;
	m->size_bytes = end - start;
	m->line[0] = '\0';
	bi->module_count++;
	*out = m;
	return 0;
}

static enum boot_range_type range_type(u32 protocol_type)
{
	switch (protocol_type) {
	case 1:
		return BOOT_RANGE_RAM;
	case 3:
		return BOOT_RANGE_ACPI;
	case 4:
		return BOOT_RANGE_ACPI_NVS;
	case 5:
		return BOOT_RANGE_BAD;
	default:
		return BOOT_RANGE_RESERVED;
	}
}

static int add_range(const struct parser *p, const struct map_entry *e)
{
	if (!memory_map_add(p->bi, e->start, e->size_bytes,
			    range_type(e->type)))
		return FAIL(p, "memory map needs more than %u ranges",
			    BOOT_RANGES_MAX);
	return 0;
}

static int mb1_memory_map(const struct parser *p, const struct mb1_info *info)
{
	u64 at = info->map, end = at + info->map_bytes;
	u32 entries = 0;

	while (end - at >= sizeof(u32) + sizeof(struct map_entry)) {
		struct map_entry e;
		u32 size;
		int rc;

		if (++entries > MAP_ENTRIES_MAX)
			return FAIL(p, "memory map has too many entries");
		if (!fetch(p, &size, at, sizeof(size)) ||
		    !fetch(p, &e, at + sizeof(size), sizeof(e)))
			return FAIL(p, "memory map is out of reach");
		if (size < sizeof(e) || size > end - at - sizeof(size))
			return FAIL(p, "memory map entry of %u bytes", size);
		rc = add_range(p, &e);
		if (rc)
			return rc;
		at += sizeof(size) + size;
	}
	return 0;
}

/* Without a map there are only two sizes: below 640 KiB and above 1 MiB. */
static int mb1_memory_sizes(const struct parser *p, const struct mb1_info *info)
{
	struct map_entry low = { 0, MIN(info->mem_lower_kib, 640U) * 1024UL,
				 1 };
	struct map_entry high = { 1UL << 20, info->mem_upper_kib * 1024UL, 1 };
	int rc;

	rc = add_range(p, &low);
	if (rc)
		return rc;
	return add_range(p, &high);
}

static int mb1_modules(const struct parser *p, const struct mb1_info *info)
{
	u32 i;

	for (i = 0; i < info->module_count; i++) {
		struct boot_module *m;
		struct mb1_module raw;
		int rc;

		if (!fetch(p, &raw, info->modules + (u64)i * sizeof(raw),
			   sizeof(raw)))
			return FAIL(p, "module list is out of reach");
		rc = add_module(p, raw.start, raw.end, &m);
		if (rc)
			return rc;
		if (raw.string && !fetch_string(p, m->line, sizeof(m->line),
						raw.string, sizeof(m->line)))
			return FAIL(
				p,
				"command line of module %u is longer than %zu bytes",
				i, sizeof(m->line) - 1);
	}
	return 0;
}

static int parse_mb1(const struct parser *p, u64 maddr)
{
	struct boot_info *bi = p->bi;
	struct mb1_info info;
	int rc;

	if (!fetch(p, &info, maddr, sizeof(info)))
		return FAIL(p, "Multiboot information is out of reach");
	/* A name cut short still tells which loader it is. */
	if ((info.flags & MB1_FLAG_LOADER_NAME) &&
	    !fetch_string(p, bi->loader_name, sizeof(bi->loader_name),
			  info.loader_name, sizeof(bi->loader_name)))
		strlcpy(bi->loader_name, "unnamed", sizeof(bi->loader_name));
	if ((info.flags & MB1_FLAG_COMMAND_LINE) &&
	    !fetch_string(p, bi->command_line, sizeof(bi->command_line),
			  info.command_line, sizeof(bi->command_line)))
		return FAIL(p, "command line is longer than %zu bytes",
			    sizeof(bi->command_line) - 1);
	if (info.flags & MB1_FLAG_MEMORY_MAP)
		rc = mb1_memory_map(p, &info);
	else if (info.flags & MB1_FLAG_MEMORY)
		rc = mb1_memory_sizes(p, &info);
	else
		rc = FAIL(p, "the loader gave no memory map");
	if (rc)
		return rc;
	if (info.flags & MB1_FLAG_MODULES)
		return mb1_modules(p, &info);
	return 0;
}

static int mb2_memory_map(const struct parser *p, u64 at, u32 size)
{
	struct {
		u32 entry_bytes, version;
	} head;
	u64 end = at + size;
	u32 entries = 0;

	if (size < sizeof(head) || !fetch(p, &head, at, sizeof(head)))
		return FAIL(p, "memory map is out of reach");
	if (head.entry_bytes < sizeof(struct map_entry))
		return FAIL(p, "memory map entry of %u bytes",
			    head.entry_bytes);
	for (at += sizeof(head); end - at >= head.entry_bytes;
	     at += head.entry_bytes) {
		struct map_entry e;
		int rc;

		if (++entries > MAP_ENTRIES_MAX)
			return FAIL(p, "memory map has too many entries");
		if (!fetch(p, &e, at, sizeof(e)))
			return FAIL(p, "memory map is out of reach");
		rc = add_range(p, &e);
		if (rc)
			return rc;
	}
	return 0;
}

static int mb2_module(const struct parser *p, u64 at, u32 size)
{
	struct {
		u32 start, end;
	} raw;
	struct boot_module *m;
	int rc;

	if (size < sizeof(raw) || !fetch(p, &raw, at, sizeof(raw)))
		return FAIL(p, "module description is cut short");
	rc = add_module(p, raw.start, raw.end, &m);
	if (rc)
		return rc;
	if (size > sizeof(raw) &&
	    !fetch_string(p, m->line, sizeof(m->line), at + sizeof(raw),
			  size - sizeof(raw)))
		return FAIL(
			p, "command line of module %u is longer than %zu bytes",
			p->bi->module_count - 1, sizeof(m->line) - 1);
	return 0;
}

static int mb2_tag(const struct parser *p, u32 type, u64 at, u32 size)
{
	struct boot_info *bi = p->bi;

	switch (type) {
	case MB2_COMMAND_LINE:
		if (!fetch_string(p, bi->command_line, sizeof(bi->command_line),
				  at, size))
			return FAIL(p, "command line is longer than %zu bytes",
				    sizeof(bi->command_line) - 1);
		return 0;
	case MB2_LOADER_NAME:
		if (!fetch_string(p, bi->loader_name, sizeof(bi->loader_name),
				  at, size))
			strlcpy(bi->loader_name, "unnamed",
				sizeof(bi->loader_name));
		return 0;
	case MB2_MODULE:
		return mb2_module(p, at, size);
	case MB2_MEMORY_MAP:
		return mb2_memory_map(p, at, size);
	case MB2_RSDP_OLD:
	case MB2_RSDP_NEW:
		/* The new form has more; it may come in either order. */
		size = MIN(size, (u32)sizeof(bi->rsdp));
		if (size <= bi->rsdp_bytes)
			return 0;
		if (!fetch(p, bi->rsdp, at, size))
			return FAIL(p, "ACPI root pointer is out of reach");
		bi->rsdp_bytes = size;
		return 0;
	default:
		return 0;
	}
}

static int parse_mb2(const struct parser *p, u64 maddr)
{
	struct {
		u32 total_bytes, reserved;
	} head;
	u64 at, end;

	if (!fetch(p, &head, maddr, sizeof(head)))
		return FAIL(p, "Multiboot 2 information is out of reach");
	if (head.total_bytes > MB2_TOTAL_MAX)
		return FAIL(p, "Multiboot 2 information of %u bytes",
			    head.total_bytes);
	at = maddr + sizeof(head);
	end = maddr + head.total_bytes;
	while (at + sizeof(struct mb2_tag) <= end) {
		struct mb2_tag tag;
		int rc;

		if (!fetch(p, &tag, at, sizeof(tag)))
			return FAIL(p,
				    "Multiboot 2 information is out of reach");
		if (tag.size_bytes < sizeof(tag) || tag.size_bytes > end - at)
			return FAIL(p, "Multiboot 2 tag %u of %u bytes",
				    tag.type, tag.size_bytes);
		if (tag.type == MB2_END)
			break;
		rc = mb2_tag(p, tag.type, at + sizeof(tag),
			     tag.size_bytes - (u32)sizeof(tag));
		if (rc)
			return rc;
		at += ALIGN_UP((u64)tag.size_bytes, 8);
	}
	return 0;
}

static bool has_ram(const struct boot_info *bi)
{
	u32 i;

	for (i = 0; i < bi->range_count; i++)
		if (bi->ranges[i].type == BOOT_RANGE_RAM)
			return true;
	return false;
}

int boot_info_parse(struct boot_info *bi, u32 magic, u64 info_maddr,
		    const struct machine_view *view, char *err, size_t err_size)
{
	struct parser p = { bi, view, err, err_size };
	u32 i;
	int rc;

	memset(bi, 0, sizeof(*bi));
	if (magic == MULTIBOOT1_MAGIC)
		rc = parse_mb1(&p, info_maddr);
	else if (magic == MULTIBOOT2_MAGIC)
		rc = parse_mb2(&p, info_maddr);
	else
		rc = FAIL(&p, "not started by a Multiboot loader (magic %x)",
			  magic);
	if (rc)
		return rc;
	if (!has_ram(bi))
		return FAIL(&p, "the memory map has no RAM");
	if (line_starts_with_file(bi)) {
		strip_file_name(bi->command_line);
		for (i = 0; i < bi->module_count; i++)
			strip_file_name(bi->modules[i].line);
	}
	return 0;
}
