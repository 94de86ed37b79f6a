/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a paravirtual domain: memory, kernel, ramdisk, page tables, start
 * info, rings for console and xenstore, first vCPU. What fails leaves no
 * domain behind. What the caller has to keep of it is small: what the builder
 * needs besides is given back before it returns.
 */
#ifndef BUILD_BUILDER_H
#define BUILD_BUILDER_H

#include <stdint.h>

#include "hv/hv.h"

struct build_request {
	const char *kernel;
	const char *ramdisk; /* "": none */
	const char *command_line;
	uint64_t memory_bytes, max_memory_bytes;
	uint32_t vcpus;
};

struct built_domain {
	uint32_t id;
	uint64_t store_frame;
	uint64_t console_frame;
	uint32_t store_port, console_port; /* the domain's, for Domain 0 */
};

/* The domain is paused. */
int build_domain(struct hv *hv, const struct build_request *r,
		 struct built_domain *out, struct error *err);

#endif
