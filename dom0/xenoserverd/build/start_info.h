/* SPDX-License-Identifier: Apache-2.0 */
/* The page that tells a domain's kernel where everything is. */
#ifndef BUILD_START_INFO_H
#define BUILD_START_INFO_H

#include <hv/guest_layout.h>

#include "util/error.h"

struct start_facts {
	const struct guest_layout *layout;
	const u64 *p2m;
	u64 nr_pages;
	u64 initrd_bytes;
	u64 shared_info_mfn;
	u32 store_port, console_port; /* the domain's */
	const char *command_line;
};

/* Into a zeroed page. */
int start_info_fill(void *page, const struct start_facts *f, struct error *err);

#endif
