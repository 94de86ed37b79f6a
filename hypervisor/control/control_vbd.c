// SPDX-License-Identifier: Apache-2.0
/* Control operations on disks and virtual block devices (contract in
 * xeno/vbd.h): fields that must be zero, and the domain; the rest is the block
 * room's. */
#include <hv/block.h>
#include <hv/disk.h>
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/string.h>

#include <xeno/vbd.h>

#include "control_ops.h"

_Static_assert(XENO_DISK_READ_ONLY == DISK_READ_ONLY &&
		       XENO_DISK_FLUSH == DISK_HAS_FLUSH &&
		       XENO_DISK_DISCARD == DISK_HAS_DISCARD && DISK_OPS == 4,
	       "vbd.h says what the plug says");

static struct domain *find_domain(u32 id)
{
	return id <= DOMID_SELF ? domain_find((u16)id) : NULL;
}

int control_disk_info(void *arg)
{
	struct xeno_disk_info *i = arg;
	struct disk *d = disk_find(i->disk);

	if (i->mbz)
		return -EINVAL;
	if (!d)
		return -ENOENT;
	i->sectors = d->sectors;
	i->flags = d->flags;
	i->physical_block_bytes = d->physical_block_bytes;
	memset(i->name, 0, sizeof(i->name));
	memset(i->serial, 0, sizeof(i->serial));
	memcpy(i->name, d->name, strnlen(d->name, sizeof(i->name) - 1));
	memcpy(i->serial, d->serial, strnlen(d->serial, sizeof(i->serial) - 1));
	for (int op = 0; op < DISK_OPS; op++) {
		i->requests[op] =
			__atomic_load_n(&d->requests[op], __ATOMIC_RELAXED);
		i->bytes[op] = __atomic_load_n(&d->bytes[op], __ATOMIC_RELAXED);
	}
	i->errors = __atomic_load_n(&d->errors, __ATOMIC_RELAXED);
	return 0;
}

int control_vbd_create(void *arg)
{
	struct xeno_vbd_create *c = arg;
	struct domain *d = find_domain(c->domain_id);

	return d ? block_vbd_create(d, c) : -ESRCH;
}

int control_vbd_connect(void *arg)
{
	struct xeno_vbd_connect *c = arg;
	struct domain *d = find_domain(c->domain_id);

	if (c->mbz)
		return -EINVAL;
	return d ? block_vbd_connect(d, c) : -ESRCH;
}

int control_vbd_disconnect(void *arg)
{
	struct xeno_vbd_name *n = arg;
	struct domain *d = find_domain(n->domain_id);

	return d ? block_vbd_disconnect(d, n->vbd) : -ESRCH;
}

int control_vbd_destroy(void *arg)
{
	struct xeno_vbd_name *n = arg;
	struct domain *d = find_domain(n->domain_id);

	return d ? block_vbd_destroy(d, n->vbd) : -ESRCH;
}

int control_vbd_info(void *arg)
{
	struct xeno_vbd_info *i = arg;
	struct domain *d = find_domain(i->domain_id);

	if (i->mbz || i->next > 1)
		return -EINVAL;
	return d ? block_vbd_info(d, i) : -ESRCH;
}
