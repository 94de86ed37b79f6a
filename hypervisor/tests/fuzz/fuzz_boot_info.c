// SPDX-License-Identifier: Apache-2.0
/* Boot loader information out of any bytes, put at 64 KiB: the first input
 * byte chooses the protocol. The map must come out sorted and disjoint, all
 * strings terminated. */
#include <stdlib.h>
#include <string.h>

#include <hv/boot_info.h>

#include "../fake/boot_fakes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct boot_info bi;
	struct fake_memory m;
	char err[128];
	u32 i;
	int rc;

	if (size < 1 || size > 0x10000)
		return 0;
	fake_memory_init(&m, data + 1, 0x10000, size - 1);
	rc = boot_info_parse(&bi,
			     data[0] & 1 ? MULTIBOOT2_MAGIC : MULTIBOOT1_MAGIC,
			     0x10000, &m.view, err, sizeof(err));
	fake_memory_exit(&m);
	if (rc) {
		check(strnlen(err, sizeof(err)) < sizeof(err));
		return 0;
	}
	check(bi.range_count && bi.range_count <= BOOT_RANGES_MAX);
	for (i = 0; i < bi.range_count; i++) {
		const struct boot_range *r = &bi.ranges[i];

		check(r->start_maddr < r->end_maddr);
		check(((r->start_maddr | r->end_maddr) & ~PAGE_MASK) == 0);
		check(i == 0 || r[-1].end_maddr <= r->start_maddr);
	}
	check(bi.module_count <= BOOT_MODULES_MAX);
	for (i = 0; i < bi.module_count; i++)
		check(strnlen(bi.modules[i].line, BOOT_MODULE_LINE_BYTES) <
		      BOOT_MODULE_LINE_BYTES);
	check(strnlen(bi.command_line, BOOT_COMMAND_LINE_BYTES) <
	      BOOT_COMMAND_LINE_BYTES);
	check(bi.rsdp_bytes <= sizeof(bi.rsdp));
	return 0;
}
