/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A guest that uses a VBD, for tests of requests: domain 1 with pages it has
 * granted, a VBD over two disks, and a ring through which it sends what a test
 * asks for. What must always hold is asserted here.
 */
#ifndef FAKE_BLKIF_GUEST_H
#define FAKE_BLKIF_GUEST_H

#include <xeno/vbd.h>

#include "block_world.h"

#define RUNS 64 /* of deferred work, at most, until none is left */

#define VBD 51712
#define VBD_SECTORS 1080

#define GUEST_PAGES 48
#define GUEST_REF 200 /* page i is granted under GUEST_REF + i */
#define RING_REF 8

extern struct domain *zero, *one;
extern u64 guest_pages[GUEST_PAGES]; /* mfns */
extern struct front front;           /* queue 0 of VBD */
extern struct blkif_response rsp;    /* what guest_expect got last */

/* 50 sectors of disk 0, 30 of disk 1, 1000 of disk 0. */
#define GUEST_EXTENTS 3
extern struct xeno_vbd_extent guest_extents[GUEST_EXTENTS];

/* A world with the guest, without VBDs; its end, after any test. */
int blkif_setup(void **state);
int blkif_teardown(void **state);
#define BLKIF_TEST(name)                                                       \
	cmocka_unit_test_setup_teardown(name, blkif_setup, blkif_teardown)

void guest_vbd_create(u32 id, u32 flags, struct xeno_vbd_extent *extents,
		      u32 n);
int guest_vbd_connect(u32 id, u32 queue, const struct front *f);
struct xeno_vbd_info guest_vbd_info(u32 id);
/* Creates VBD of guest_extents and connects `front`, a ring of one page. */
void guest_start(u32 flags);

u8 *guest_disk_byte(u64 vbd_sector); /* where VBD has it */
u8 *guest_page(u32 i);

/* Requests for whole pages, from first_page on. */
struct blkif_request guest_transfer(u8 op, u64 id, u64 sector, u32 first_page,
				    u32 count);
/* An indirect request, its descriptors in the guest's last page. */
struct blkif_request guest_indirect(u8 op, u64 id, u64 sector, u32 count);
struct blkif_request_segment *guest_descriptors(void);

/* Through `front`; deferred work has run then. */
void guest_send(const struct blkif_request *r);
/* The next response is this one. */
void guest_expect(u64 id, u8 op, s16 status);
/* Sends what must be answered at once and reach no disk. */
void guest_refuse(struct blkif_request r, u8 op, s16 status);
/* Until neither disks nor deferred work have anything to do. */
void finish_disks(void);
/* No page of the guest's data is pinned. */
void guest_check_unpinned(void);

#endif
