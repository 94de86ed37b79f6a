// SPDX-License-Identifier: Apache-2.0
/* See extents.h: the list itself, and what the words of a configuration mean.
 */
#include "storage/extents.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int extents_add(struct extents *e, uint32_t disk, uint64_t first,
		uint64_t sectors, struct error *err)
{
	struct xeno_vbd_extent *last = e->list + e->count - 1;
	uint64_t end;

	if (!sectors || __builtin_add_overflow(first, sectors, &end))
		return error_set(err, ERR_INVALID,
				 "%" PRIu64 " sectors at %" PRIu64, sectors,
				 first);
	if (e->count && last->disk == disk &&
	    last->first_sector + last->sectors == first) {
		last->sectors += sectors;
	} else if (e->count == XENO_VBD_EXTENTS_MAX) {
		return error_set(err, ERR_INVALID, "more than %d pieces",
				 XENO_VBD_EXTENTS_MAX);
	} else {
		e->list[e->count++] = (struct xeno_vbd_extent){
			.disk = disk,
			.first_sector = first,
			.sectors = sectors,
		};
	}
	e->sectors += sectors;
	return 0;
}

bool linear_segment_parse(struct linear_segment *out, const char *line)
{
	int end = 0;

	/* Numbers that do not fit are not the kernel's. */
	/* NOLINTNEXTLINE(cert-err34-c) */
	return sscanf(line,
		      "%" SCNu64 " %" SCNu64 " linear %u:%u %" SCNu64 "%n",
		      &out->first, &out->sectors, &out->high, &out->low,
		      &out->target_first, &end) == 5 &&
	       (line[end] == '\0' || line[end] == '\n');
}

static int of_block_file(struct extents *e, const char *path, struct error *err)
{
	struct stat st;

	if (stat(path, &st))
		return error_set(err, ERR_NOT_FOUND, "%s: %s", path,
				 strerror(errno));
	if (!S_ISBLK(st.st_mode))
		return error_set(err, ERR_INVALID, "%s: no block device", path);
	return extents_of_device(e, major(st.st_rdev), minor(st.st_rdev), 0,
				 UINT64_MAX, err);
}

int extents_of_config(struct extents *e, const struct disk_config *d,
		      uint64_t disk_sectors, struct error *err)
{
	char path[CONFIG_PATH_MAX + 8];
	char *end;
	unsigned long disk;

	memset(e, 0, sizeof(*e));
	switch (d->kind) {
	case DISK_WHOLE:
		disk = strtoul(d->source, &end, 10);
		if (*end || disk > UINT16_MAX)
			return error_set(err, ERR_INVALID, "disk:%s: a number",
					 d->source);
		return extents_add(e, (uint32_t)disk, 0, disk_sectors, err);
	case DISK_PARTITION:
		return of_block_file(e, d->source, err);
	case DISK_VOLUME:
		snprintf(path, sizeof(path), "/dev/%s", d->source);
		return of_block_file(e, path, err);
	default:
		return extents_of_file(e, d->source, err);
	}
}
