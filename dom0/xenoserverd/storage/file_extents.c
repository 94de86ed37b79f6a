// SPDX-License-Identifier: Apache-2.0
/*
 * An image file's place on its file system's device. Only a file whose blocks
 * are all there and written will do: a hole has no place, and what was never
 * written might show what a deleted file held.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "storage/extents.h"
#include "util/auto_cleanup.h"

#define SECTOR_BYTES 512
#define BATCH 64

#define UNUSABLE                                                               \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC |                      \
	 FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE |                   \
	 FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_UNWRITTEN |                 \
	 FIEMAP_EXTENT_SHARED)

static int add_piece(struct extents *e, const struct stat *st,
		     const struct fiemap_extent *x, uint64_t at,
		     struct error *err)
{
	uint64_t left = (uint64_t)st->st_size - at;
	uint64_t bytes = x->fe_length < left ? x->fe_length : left;

	if (x->fe_logical != at)
		return error_set(err, ERR_INVALID,
				 "the file has a hole at %" PRIu64, at);
	if (x->fe_flags & UNUSABLE)
		return error_set(err, ERR_INVALID,
				 "the file's blocks at %" PRIu64
				 " are shared, unwritten or without a place",
				 at);
	if (x->fe_physical % SECTOR_BYTES || bytes % SECTOR_BYTES)
		return error_set(err, ERR_INVALID,
				 "the file's blocks are not whole sectors");
	return extents_of_device(e, major(st->st_dev), minor(st->st_dev),
				 x->fe_physical / SECTOR_BYTES,
				 bytes / SECTOR_BYTES, err);
}

static int add_all(struct extents *e, int fd, const struct stat *st,
		   struct error *err)
{
	const uint64_t size = (uint64_t)st->st_size;
	union {
		struct fiemap map;
		char bytes[sizeof(struct fiemap) +
			   BATCH * sizeof(struct fiemap_extent)];
	} answer;
	struct fiemap *map = &answer.map;
	uint64_t at = 0;

	memset(&answer, 0, sizeof(answer));
	while (at < size) {
		map->fm_start = at;
		map->fm_length = size - at;
		map->fm_flags = FIEMAP_FLAG_SYNC;
		map->fm_extent_count = BATCH;
		if (ioctl(fd, FS_IOC_FIEMAP, map))
			return error_set(err, ERR_UNSUPPORTED,
					 "the file system does not say where "
					 "the file is: %s",
					 strerror(errno));
		if (!map->fm_mapped_extents)
			return error_set(err, ERR_INVALID,
					 "the file has a hole at %" PRIu64, at);
		for (uint32_t i = 0; i < map->fm_mapped_extents && at < size;
		     i++) {
			const struct fiemap_extent *x = &map->fm_extents[i];

			if (add_piece(e, st, x, at, err))
				return -1;
			at += x->fe_length;
		}
	}
	return 0;
}

int extents_of_file(struct extents *e, const char *path, struct error *err)
{
	int auto_close fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERR_NOT_FOUND, "%s: %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return error_set(err, ERR_INVALID, "%s: empty, or not a file",
				 path);
	if (add_all(e, fd, &st, err)) {
		error_prefix(err, "%.80s", path);
		return -1;
	}
	return 0;
}
