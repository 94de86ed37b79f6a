/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds Domain 0 from the boot loader's modules: module 0 is the kernel,
 * module 1, if there, its initrd; the command line is that of module 0.
 */
#ifndef HV_BUILD_DOM0_H
#define HV_BUILD_DOM0_H

#include <hv/boot_info.h>
#include <hv/domain.h>
#include <hv/options.h>
#include <hv/types.h>

/*
 * d is as domain creation leaves it: no frames, shared_info initialised
 * (upcalls masked, all ports masked), vCPU 0 present. Sets the domain's size
 * (owner.max_pages) from the options and what is free, fills its memory and
 * makes vCPU 0 ready to run its first instruction.
 *
 * Reads the modules through the direct map; they must not have been given to
 * the allocator yet. Nothing refers to them afterwards: the caller then gives
 * all of bi->modules to the allocator.
 *
 * 0, or negative errno with a message in err; d is then good only for
 * tear-down. Boot CPU, SSE usable, %fs:0x28 readable (boot/decompress.c).
 */
int build_dom0(struct domain *d, const struct boot_info *bi,
	       const struct options *o, char *err, size_t err_size) MUST_CHECK;

/* Pages of Domain 0 when free_pages are free: as asked, but leaving a
 * reserve for the hypervisor's own use. */
u64 dom0_pages(const struct options *o, u64 free_pages);

#endif
