/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blkfront.h - a block front end of a test guest, which as Domain 0 makes its
 * VBDs itself. Everything in the ring and the grants is the test's to spoil.
 */
#ifndef XT_BLKFRONT_H
#define XT_BLKFRONT_H

#include <stdint.h>

#include <xen/io/blkif.h>
#include <xeno/vbd.h>

#include "xt.h"

/* Grant references: rings from 8 on, data pages from BLK_DATA_REF on. */
#define BLK_RING_REF 8U
#define BLK_DATA_REF 64U
#define BLK_PAGES 48U

struct blkfront {
	u32 vbd, queue, port;
	u32 ring_pages, entries;
	struct blkif_sring *sring; /* its pages follow each other */
	u32 first_ref;
	u32 req_prod, rsp_cons;
};

/* Data pages, each granted for writing at BLK_DATA_REF + its index. */
extern u8 blk_data[BLK_PAGES][4096];

/* Skips the test where there is no such hypervisor or no disk. */
void blk_begin(void);
long blk_create(u32 vbd, u32 flags, const struct xeno_vbd_extent *extents,
		u32 count);
long blk_connect(struct blkfront *f, u32 vbd, u32 queue, u32 ring_pages);
/* Gives the pages of the latest ring back, when it is disconnected. */
void blk_forget(const struct blkfront *f);
/* Until it is done. */
long blk_disconnect(u32 vbd);
long blk_destroy(u32 vbd);
struct xeno_vbd_info blk_info(u32 vbd);
struct xeno_disk_info blk_disk(u32 disk);

void blk_grant(u32 ref, const void *page, u16 flags);
/* A read or write of whole data pages. */
struct blkif_request blk_request(u8 op, u64 id, u64 sector, u32 first_page,
				 u32 pages);
void blk_put(struct blkfront *f, const struct blkif_request *r);
void blk_push(struct blkfront *f);
/* Waits for a response; fails the test after ten seconds. */
struct blkif_response blk_get(struct blkfront *f);
/* The three in one: the status. */
int blk_do(struct blkfront *f, const struct blkif_request *r);

#endif
