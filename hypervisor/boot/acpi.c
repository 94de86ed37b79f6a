// SPDX-License-Identifier: Apache-2.0
/*
 * Walks from the root pointer to the tables that we read. Firmware data may
 * be damaged: a table counts only if its length is sane and its bytes add up
 * to zero, and every record is checked against the end of its table.
 */
#include <hv/acpi.h>
#include <hv/string.h>

#include "acpi_tables.h"

/* Larger than any table that we look at (DSDTs reach a few 100 KiB). */
#define TABLE_BYTES_MAX (16UL << 20)
#define TABLES_MAX 256U
#define RSDP_V1_BYTES 20U
#define RSDP_V2_BYTES 36U

#define EBDA_SEGMENT_MADDR 0x40eUL
#define EBDA_SEARCH_BYTES 1024UL
#define BIOS_AREA_MADDR 0xe0000UL
#define BIOS_AREA_BYTES 0x20000UL

static bool sum_is_zero(const u8 *p, u64 size)
{
	u8 sum = 0;
	u64 i;

	for (i = 0; i < size; i++)
		sum = (u8)(sum + p[i]);
	return sum == 0;
}

static bool rsdp_valid(const u8 *p, u64 size)
{
	return size >= RSDP_V1_BYTES && memcmp(p, "RSD PTR ", 8) == 0 &&
	       sum_is_zero(p, RSDP_V1_BYTES);
}

/* Searches [maddr, maddr + size) at multiples of 16 and copies what it finds
 * to rsdp. */
static bool search_area(const struct machine_view *view, u64 maddr, u64 size,
			u8 rsdp[RSDP_V2_BYTES])
{
	const u8 *area = view->map(view->ctx, maddr, size);
	u64 at;

	if (!area)
		return false;
	for (at = 0; at + RSDP_V1_BYTES <= size; at += 16) {
		u64 left = size - at;

		if (!rsdp_valid(area + at, left))
			continue;
		memcpy(rsdp, area + at, MIN(left, (u64)RSDP_V2_BYTES));
		return true;
	}
	return false;
}

static bool search_rsdp(const struct machine_view *view, u8 rsdp[RSDP_V2_BYTES])
{
	const u8 *p = view->map(view->ctx, EBDA_SEGMENT_MADDR, 2);
	u64 ebda = 0;

	if (p)
		ebda = ((u64)p[0] | (u64)p[1] << 8) << 4;
	if (ebda >= 0x400 && search_area(view, ebda, EBDA_SEARCH_BYTES, rsdp))
		return true;
	return search_area(view, BIOS_AREA_MADDR, BIOS_AREA_BYTES, rsdp);
}

bool acpi_map_table(const struct machine_view *view, u64 maddr,
		    struct acpi_table *t)
{
	struct acpi_table_header h;
	const u8 *p = view->map(view->ctx, maddr, sizeof(h));

	if (!p || maddr == 0)
		return false;
	memcpy(&h, p, sizeof(h));
	if (h.length < sizeof(h) || h.length > TABLE_BYTES_MAX)
		return false;
	p = view->map(view->ctx, maddr, h.length);
	/* The first look may have been at other bytes; the length counts. */
	if (!p || memcmp(p, &h, sizeof(h)) != 0 || !sum_is_zero(p, h.length))
		return false;
	memcpy(t->signature, h.signature, sizeof(t->signature));
	t->data = p;
	t->size = h.length;
	return true;
}

static void read_table(struct acpi_info *info, const struct machine_view *view,
		       u64 maddr)
{
	struct acpi_table t;

	if (!acpi_map_table(view, maddr, &t))
		return;
	if (memcmp(t.signature, "APIC", 4) == 0)
		acpi_read_madt(info, &t);
	else if (memcmp(t.signature, "MCFG", 4) == 0)
		acpi_read_mcfg(info, &t);
	else if (memcmp(t.signature, "FACP", 4) == 0)
		acpi_read_fadt(info, view, &t);
}

/* Reads every table that the RSDT (4-byte pointers) or XSDT (8) lists. The
 * list is mapped anew for each entry, since a view keeps one mapping. */
static bool read_list(struct acpi_info *info, const struct machine_view *view,
		      u64 maddr, const char *signature, u32 pointer_bytes)
{
	struct acpi_table list;
	u64 count, i;

	if (!acpi_map_table(view, maddr, &list) ||
	    memcmp(list.signature, signature, 4) != 0)
		return false;
	count = (list.size - sizeof(struct acpi_table_header)) / pointer_bytes;
	for (i = 0; i < MIN(count, (u64)TABLES_MAX); i++) {
		u64 at = maddr + sizeof(struct acpi_table_header) +
			 i * pointer_bytes;
		const u8 *p = view->map(view->ctx, at, pointer_bytes);
		u64 table = 0;

		if (!p)
			break;
		memcpy(&table, p, pointer_bytes);
		read_table(info, view, table);
	}
	return true;
}

void acpi_read(struct acpi_info *info, const struct machine_view *view,
	       const u8 *rsdp, u32 rsdp_bytes)
{
	u8 root[RSDP_V2_BYTES] = { 0 };
	u64 xsdt = 0;
	u32 rsdt;

	memset(info, 0, sizeof(*info));
	if (rsdp_bytes && rsdp_valid(rsdp, rsdp_bytes))
		memcpy(root, rsdp, MIN(rsdp_bytes, RSDP_V2_BYTES));
	else if (!search_rsdp(view, root))
		return;
	info->found = true;
	memcpy(&rsdt, root + 16, sizeof(rsdt));
	/* Revision 2 and later has the wide list and a second sum. */
	if (root[15] >= 2 && sum_is_zero(root, RSDP_V2_BYTES))
		memcpy(&xsdt, root + 24, sizeof(xsdt));
	if (xsdt && read_list(info, view, xsdt, "XSDT", 8))
		return;
	if (rsdt)
		read_list(info, view, rsdt, "RSDT", 4);
}
