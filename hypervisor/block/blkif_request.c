// SPDX-License-Identifier: Apache-2.0
/* Checks of blkif requests (contract in blkif_request.h). */
#include "blkif_request.h"

#include <hv/event.h>
#include <hv/grant.h>
#include <hv/string.h>

#define SECTORS_PER_PAGE 8
#define SEGMENTS_PER_PAGE (PAGE_SIZE / sizeof(struct blkif_request_segment))

_Static_assert(sizeof(struct blkif_request) == 112 &&
		       sizeof(struct blkif_request_segment) == 8 &&
		       offsetof(struct blkif_request, seg) == 0x18 &&
		       offsetof(struct blkif_request_indirect,
				indirect_grefs) == 0x1c &&
		       offsetof(struct blkif_request_discard, nr_sectors) ==
			       0x18,
	       "the x86-64 ABI");

static bool in_range(u64 sector, u64 sectors, u64 end)
{
	return sectors <= end && sector <= end - sectors;
}

/* The sum of the segments in out->sectors. */
static s16 check_segments(struct blkif_command *out, u64 vbd_sectors,
			  const struct blkif_request_segment *segments)
{
	u32 sum = 0;

	for (u32 i = 0; i < out->segment_count; i++) {
		u32 first = segments[i].first_sect,
		    last = segments[i].last_sect;

		if (first > last || last >= SECTORS_PER_PAGE)
			return BLKIF_RSP_ERROR;
		sum += last - first + 1;
	}
	out->sectors = sum;
	return in_range(out->sector, out->sectors, vbd_sectors)
		       ? BLKIF_RSP_OKAY
		       : BLKIF_RSP_ERROR;
}

static s16 copy_indirect(const struct blkif_request_indirect *in,
			 struct domain *d,
			 struct blkif_request_segment *segments)
{
	u32 left = in->nr_segments;

	for (u32 page = 0; left; page++) {
		u32 n = (u32)MIN(left, SEGMENTS_PER_PAGE);
		struct frame *f;

		if (grant_acquire(d, DOMID_BACKEND, in->indirect_grefs[page],
				  false, &f))
			return BLKIF_RSP_ERROR;
		memcpy(segments, mfn_to_virt(frame_mfn(f)),
		       n * sizeof(*segments));
		barrier();
		grant_release(d, in->indirect_grefs[page], false, f);
		segments += n;
		left -= n;
	}
	return BLKIF_RSP_OKAY;
}

static s16 parse_indirect(const struct blkif_request *raw, struct domain *d,
			  u64 vbd_sectors, struct blkif_command *out,
			  struct blkif_request_segment *segments)
{
	const struct blkif_request_indirect *in = (const void *)raw;
	s16 status;

	out->id = in->id;
	out->operation = in->indirect_op;
	out->sector = in->sector_number;
	out->segment_count = in->nr_segments;
	if (in->indirect_op != BLKIF_OP_READ &&
	    in->indirect_op != BLKIF_OP_WRITE)
		return BLKIF_RSP_EOPNOTSUPP;
	out->op = in->indirect_op == BLKIF_OP_READ ? DISK_READ : DISK_WRITE;
	if (!in->nr_segments || in->nr_segments > BLKIF_SEGMENTS_MAX)
		return BLKIF_RSP_ERROR;
	status = copy_indirect(in, d, segments);
	if (status)
		return status;
	return check_segments(out, vbd_sectors, segments);
}

static s16 parse_transfer(const struct blkif_request *in, u64 vbd_sectors,
			  struct blkif_command *out,
			  struct blkif_request_segment *segments)
{
	out->op = in->operation == BLKIF_OP_READ ? DISK_READ : DISK_WRITE;
	out->sector = in->sector_number;
	out->segment_count = in->nr_segments;
	if (!in->nr_segments ||
	    in->nr_segments > BLKIF_MAX_SEGMENTS_PER_REQUEST)
		return BLKIF_RSP_ERROR;
	memcpy(segments, in->seg, in->nr_segments * sizeof(*segments));
	return check_segments(out, vbd_sectors, segments);
}

static s16 parse_discard(const struct blkif_request *raw, u64 vbd_sectors,
			 struct blkif_command *out)
{
	const struct blkif_request_discard *in = (const void *)raw;

	out->op = DISK_DISCARD;
	out->sector = in->sector_number;
	out->sectors = in->nr_sectors;
	out->segment_count = 0;
	return in->nr_sectors && in_range(in->sector_number, in->nr_sectors,
					  vbd_sectors)
		       ? BLKIF_RSP_OKAY
		       : BLKIF_RSP_ERROR;
}

s16 blkif_parse(const struct blkif_request *in, struct domain *d,
		u64 vbd_sectors, struct blkif_command *out,
		struct blkif_request_segment *segments)
{
	out->id = in->id;
	out->operation = in->operation;
	switch (in->operation) {
	case BLKIF_OP_READ:
	case BLKIF_OP_WRITE:
		return parse_transfer(in, vbd_sectors, out, segments);
	case BLKIF_OP_INDIRECT:
		return parse_indirect(in, d, vbd_sectors, out, segments);
	case BLKIF_OP_DISCARD:
		return parse_discard(in, vbd_sectors, out);
	case BLKIF_OP_FLUSH_DISKCACHE:
		out->op = DISK_FLUSH;
		out->sector = out->sectors = 0;
		out->segment_count = 0;
		/* A write with it is a barrier's half; none is offered. */
		return in->nr_segments ? BLKIF_RSP_EOPNOTSUPP : BLKIF_RSP_OKAY;
	default:
		return BLKIF_RSP_EOPNOTSUPP;
	}
}
