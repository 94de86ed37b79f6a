// SPDX-License-Identifier: Apache-2.0
/* The disks there are (contract in hv/disk.h). */
#include <hv/disk.h>
#include <hv/errno.h>

static struct disk *disks[DISKS_MAX];
static u32 disk_count;

int disk_register(struct disk *d)
{
	if (disk_count == DISKS_MAX)
		return -ENOSPC;
	d->id = disk_count;
	disks[disk_count++] = d;
	return 0;
}

struct disk *disk_find(u32 id)
{
	return id < disk_count ? disks[id] : NULL;
}
