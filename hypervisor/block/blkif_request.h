/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a request as it stood in a ring to one that has been checked. What
 * comes in is the hypervisor's own copy.
 */
#ifndef BLKIF_REQUEST_H
#define BLKIF_REQUEST_H

#include <hv/disk.h>
#include <hv/types.h>

#include <xen/event_channel.h>
#include <xen/io/blkif.h>
#include <xen/xen.h>

#define BLKIF_SEGMENTS_MAX 256 /* of an indirect request */

struct domain;

struct blkif_command {
	u64 id;
	u8 operation; /* what the response must repeat */
	enum disk_op op;
	u64 sector, sectors; /* of the VBD, within its end; FLUSH: 0 */
	u32 segment_count;
};

/* Checks form and range, and nothing of rights. BLKIF_RSP_OKAY, or what to
 * answer; id and operation are valid in any case. Segments go to `segments`,
 * each with first_sect <= last_sect < 8; the pages of an indirect request's
 * are d's, granted to the back end. */
s16 blkif_parse(const struct blkif_request *in, struct domain *d,
		u64 vbd_sectors, struct blkif_command *out,
		struct blkif_request_segment *segments) MUST_CHECK;

#endif
