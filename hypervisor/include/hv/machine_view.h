/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read access to machine memory that firmware or a boot loader described.
 * Code that parses such data sees memory only through this callback, so the
 * same code runs on a fake memory in hosted tests.
 */
#ifndef HV_MACHINE_VIEW_H
#define HV_MACHINE_VIEW_H

#include <hv/types.h>

struct machine_view {
	/* Pointer to [maddr, maddr + size_bytes), or NULL when any of it is
	 * out of reach. Need not be aligned; valid until the next call. */
	const void *(*map)(void *ctx, u64 maddr, u64 size_bytes);
	void *ctx;
};

#endif
