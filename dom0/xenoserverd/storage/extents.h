/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the bytes of a disk, a partition, an LVM2 volume or an image file are
 * on the node's disks: an ordered list of extents, found out by following the
 * devices of Domain 0 down to its own whole disks, whose order is the node's.
 */
#ifndef STORAGE_EXTENTS_H
#define STORAGE_EXTENTS_H

#include <stdbool.h>

#include <xeno/vbd.h>

#include "model/domain_config.h"
#include "util/error.h"

struct extents {
	uint32_t count;
	uint64_t sectors; /* of all */
	struct xeno_vbd_extent list[XENO_VBD_EXTENTS_MAX];
};

/* Appends; adjoining pieces become one. */
int extents_add(struct extents *e, uint32_t disk, uint64_t first,
		uint64_t sectors, struct error *err);

/* One line of a device-mapper table: "0 2048 linear 202:1 384". */
struct linear_segment {
	uint64_t first, sectors; /* of the mapped device */
	unsigned int high, low;  /* of the target: MAJOR:MINOR */
	uint64_t target_first;
};

/* false: not of kind linear, or no such line. */
bool linear_segment_parse(struct linear_segment *out, const char *line);

/* The part of a block device of Domain 0. */
int extents_of_device(struct extents *e, unsigned int high, unsigned int low,
		      uint64_t first, uint64_t sectors, struct error *err);
int extents_of_file(struct extents *e, const char *path, struct error *err);
/* disk_sectors tells the size of a whole disk. */
int extents_of_config(struct extents *e, const struct disk_config *d,
		      uint64_t disk_sectors, struct error *err);

#endif
