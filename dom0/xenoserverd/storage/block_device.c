// SPDX-License-Identifier: Apache-2.0
/*
 * Follows a block device of Domain 0 down: a partition is a part of its disk,
 * a device-mapper device a list of parts of others, xvda the node's first disk.
 * All of it as the kernel tells.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "storage/extents.h"
#include "util/auto_cleanup.h"

/* Devices on devices; more is a mistake. */
#define DEPTH_MAX 8
#define TABLE_BYTES 65536

static int follow(struct extents *e, dev_t device, uint64_t first,
		  uint64_t sectors, int depth, struct error *err);

/* A line of /sys/dev/block/MAJOR:MINOR/NAME; false: there is none. */
static bool read_fact(dev_t device, const char *name, char *out, size_t size)
{
	char path[96];
	FILE *file;
	bool found;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(device),
		 minor(device), name);
	file = fopen(path, "re");
	if (!file)
		return false;
	found = fgets(out, (int)size, file);
	fclose(file);
	return found;
}

static uint64_t read_count(dev_t device, const char *name)
{
	char text[32];

	return read_fact(device, name, text, sizeof(text))
		       ? strtoull(text, NULL, 10)
		       : 0;
}

static bool read_device(dev_t device, const char *name, dev_t *out)
{
	unsigned int high, low;
	char text[32];

	/* The kernel's own text. */
	/* NOLINTNEXTLINE(cert-err34-c) */
	if (!read_fact(device, name, text, sizeof(text)) ||
	    /* NOLINTNEXTLINE(cert-err34-c) */
	    sscanf(text, "%u:%u", &high, &low) != 2)
		return false;
	*out = makedev(high, low);
	return true;
}

/* The number of the node's disk that is the whole disk xvdX here; -1: none. */
static int whole_disk(dev_t device)
{
	char path[96], link[256];
	const char *name;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0)
		return -1;
	link[n] = '\0';
	name = strrchr(link, '/');
	if (!name || strlen(name) != 5 || disk_number(name + 1) == 0)
		return -1;
	return name[4] - 'a';
}

/* The part of one segment that belongs to [first, first + sectors). */
static int follow_segment(struct extents *e, const struct dm_target_spec *t,
			  const char *parameters, const uint64_t range[2],
			  int depth, struct error *err)
{
	struct linear_segment s;
	char line[160];
	uint64_t start, end;

	snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %s %s",
		 (uint64_t)t->sector_start, (uint64_t)t->length, t->target_type,
		 parameters);
	if (!linear_segment_parse(&s, line))
		return error_set(err, ERR_UNSUPPORTED,
				 "a volume of type %.16s: only linear ones",
				 t->target_type);
	start = range[0] > s.first ? range[0] : s.first;
	end = s.first + s.sectors;
	if (range[1] < end)
		end = range[1];
	if (start >= end)
		return 0;
	return follow(e, makedev(s.high, s.low),
		      s.target_first + (start - s.first), end - start, depth,
		      err);
}

static int read_table(struct dm_ioctl *io, dev_t device, struct error *err)
{
	int auto_close fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, ERR_SYSTEM, "the device mapper: %s",
				 strerror(errno));
	io->version[0] = DM_VERSION_MAJOR;
	io->data_size = TABLE_BYTES;
	io->data_start = sizeof(*io);
	io->dev = device;
	io->flags = DM_STATUS_TABLE_FLAG;
	if (ioctl(fd, DM_TABLE_STATUS, io) || io->flags & DM_BUFFER_FULL_FLAG)
		return error_set(err, ERR_SYSTEM, "a volume's table: %s",
				 strerror(errno));
	return 0;
}

static int follow_table(struct extents *e, const struct dm_ioctl *io,
			const uint64_t range[2], int depth, struct error *err)
{
	size_t at = io->data_start;

	for (uint32_t i = 0; i < io->target_count; i++) {
		const struct dm_target_spec *t =
			(const void *)((const char *)io + at);

		if (follow_segment(e, t, (const char *)(t + 1), range, depth,
				   err))
			return -1;
		at = io->data_start + t->next;
	}
	return 0;
}

static int follow_mapped(struct extents *e, dev_t device,
			 const uint64_t range[2], int depth, struct error *err)
{
	struct dm_ioctl *io = calloc(1, TABLE_BYTES);
	int rc;

	if (!io)
		return error_set(err, ERR_SYSTEM, "no memory");
	rc = read_table(io, device, err);
	if (!rc)
		rc = follow_table(e, io, range, depth, err);
	free(io);
	return rc;
}

static int follow(struct extents *e, dev_t device, uint64_t first,
		  uint64_t sectors, int depth, struct error *err)
{
	uint64_t size = read_count(device, "size");
	int disk = whole_disk(device);
	uint64_t range[2];
	dev_t parent;

	if (depth == DEPTH_MAX)
		return error_set(err, ERR_INVALID, "devices on devices");
	if (first >= size)
		return error_set(err, ERR_INVALID,
				 "sector %" PRIu64 " of a device of %" PRIu64,
				 first, size);
	if (sectors > size - first)
		sectors = size - first;
	if (disk >= 0)
		return extents_add(e, (uint32_t)disk, first, sectors, err);
	if (read_count(device, "partition") &&
	    read_device(device, "../dev", &parent))
		return follow(e, parent, read_count(device, "start") + first,
			      sectors, depth + 1, err);
	range[0] = first;
	range[1] = first + sectors;
	return follow_mapped(e, device, range, depth + 1, err);
}

int extents_of_device(struct extents *e, unsigned int high, unsigned int low,
		      uint64_t first, uint64_t sectors, struct error *err)
{
	return follow(e, makedev(high, low), first, sectors, 0, err);
}
