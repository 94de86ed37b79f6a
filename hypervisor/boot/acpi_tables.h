/* SPDX-License-Identifier: Apache-2.0 */
/* Between acpi.c, which finds tables, and acpi_tables.c, which reads them. */
#ifndef BOOT_ACPI_TABLES_H
#define BOOT_ACPI_TABLES_H

#include <hv/acpi.h>

struct acpi_table_header {
	char signature[4];
	u32 length;
	u8 revision, checksum;
	char oem_id[6], oem_table_id[8];
	u32 oem_revision, creator_id, creator_revision;
};

_Static_assert(sizeof(struct acpi_table_header) == 36, "ACPI 5.2.6");

/* A checked table; data is valid until the view's next map. */
struct acpi_table {
	char signature[4];
	const u8 *data;
	u32 size;
};

/* False: out of reach, a length that cannot be, or a wrong sum. */
bool acpi_map_table(const struct machine_view *view, u64 maddr,
		    struct acpi_table *t) MUST_CHECK;

void acpi_read_madt(struct acpi_info *info, const struct acpi_table *t);
void acpi_read_mcfg(struct acpi_info *info, const struct acpi_table *t);
/* Maps the DSDT as well, so t is gone afterwards. */
void acpi_read_fadt(struct acpi_info *info, const struct machine_view *view,
		    const struct acpi_table *t);

#endif
