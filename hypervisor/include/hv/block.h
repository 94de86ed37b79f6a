/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual block devices: extents of disks that a domain reads and writes
 * through rings of blkif, without any other domain on the way. The operations
 * are those of xeno/vbd.h, with their errors; whoever calls them has found the
 * domain and looked at the fields that must be zero.
 *
 * All memory a VBD needs is hypervisor state of its domain: a page for the
 * domain's VBDs, one per VBD (more with many extents), four per connected
 * queue, or seven when its ring has several pages.
 *
 * One lock, RANK_BLOCK, for everything but the data path, which takes no lock
 * of its own but a disk's queue (RANK_DISK_QUEUE).
 */
#ifndef HV_BLOCK_H
#define HV_BLOCK_H

#include <hv/domain.h>

#include <xeno/vbd.h>

/* -ERESTART: more is to be done, call again with the same arguments; the
 * extents are read from the current address space. */
int block_vbd_create(struct domain *d, struct xeno_vbd_create *c) MUST_CHECK;
int block_vbd_connect(struct domain *d, const struct xeno_vbd_connect *c)
	MUST_CHECK;
/* -ERESTART while requests are in flight: call again. After a second of that,
 * -EAGAIN: a disk does not answer. */
int block_vbd_disconnect(struct domain *d, u32 id) MUST_CHECK;
int block_vbd_destroy(struct domain *d, u32 id) MUST_CHECK;
int block_vbd_info(struct domain *d, struct xeno_vbd_info *info) MUST_CHECK;

/* All VBDs of a dying domain. -ERESTART: requests are in flight, or *budget
 * (VBDs) is used up; call again. 0: nothing is left. */
int block_domain_exit(struct domain *d, int *budget) MUST_CHECK;

#endif
