// SPDX-License-Identifier: Apache-2.0
/* Any text as a domain's configuration: what is accepted is within bounds. */
#include <stdlib.h>
#include <string.h>

#include "model/domain_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct domain_config c;
	struct error err = { .code = ERR_NONE };

	if (domain_config_parse(&c, (const char *)data, size, &err)) {
		if (err.code != ERR_INVALID)
			abort();
		return 0;
	}
	if (!*c.name || c.vcpus < 1 || c.vcpus > CONFIG_VCPUS_MAX ||
	    c.max_memory_bytes < c.memory_bytes ||
	    c.disk_count > CONFIG_DISKS_MAX || c.vif_count > CONFIG_VIFS_MAX)
		abort();
	for (unsigned int i = 0; i < c.disk_count; i++)
		if (disk_number(c.disks[i].device) != c.disks[i].number)
			abort();
	return 0;
}
