// SPDX-License-Identifier: Apache-2.0
/* See devices.h. */
#include "serve/devices.h"

#include <stdlib.h>
#include <string.h>

#include "network/leases.h"
#include "network/vif_plan.h"
#include "storage/extents.h"
#include "util/log.h"

#define XVDA 51712U
#define MINORS_PER_DISK 16U

/* Large, and needed for one disk at a time. */
static struct extents scratch_extents;

/* Adds it to the list once the hypervisor has it. */
static int publish(struct devices *all, struct store *s,
		   const struct device *made, struct error *err)
{
	struct device *d = &all->list[all->count++];

	*d = *made;
	return device_publish(d, s, err);
}

/* Its entry in the list first: what is there is destroyed with the others. */
static int adopt(struct devices *all, struct hv *hv, struct store *s,
		 const struct device *found, struct error *err)
{
	struct device *d = &all->list[all->count++];

	*d = *found;
	return device_adopt(d, s, hv, err);
}

/* Facts of the disk under the first extent stand for all. */
static int make_disk(struct devices *all, struct hv *hv, struct store *s,
		     struct device *d, const struct extents *e,
		     struct error *err)
{
	struct xeno_vbd_create op = {
		.domain_id = d->domain_id,
		.vbd = d->number,
		.flags = d->writable ? 0 : XENO_VBD_READ_ONLY,
		.extent_count = e->count,
	};
	struct xeno_disk_info info;

	if (hv_disk_info(hv, e->list[0].disk, &info, err))
		return -1;
	if (hv_vbd_create(hv, &op, e->list, err)) {
		if (d->domain_id || err->code != ERR_EXISTS)
			return -1;
		/* Domain 0's own, from an earlier process. */
		op.sectors = info.sectors;
	}
	d->sectors = op.sectors;
	d->kind = DEVICE_VBD;
	d->can_flush = info.flags & XENO_DISK_FLUSH;
	d->can_discard = info.flags & XENO_DISK_DISCARD;
	d->physical_block_bytes =
		info.physical_block_bytes ? info.physical_block_bytes : 512;
	return d->domain_id ? publish(all, s, d, err)
			    : adopt(all, hv, s, d, err);
}

static uint32_t queues_for(uint32_t vcpus)
{
	return vcpus < XENO_VBD_QUEUES_MAX ? vcpus : XENO_VBD_QUEUES_MAX;
}

static int create_disk(struct devices *all, struct hv *hv, struct store *s,
		       uint32_t id, uint32_t vcpus, const struct disk_config *c,
		       struct error *err)
{
	struct extents *e = &scratch_extents;
	struct xeno_disk_info info = { .sectors = 0 };
	struct device d = {
		.domain_id = id,
		.number = c->number,
		.writable = c->writable,
		.queues_max = queues_for(vcpus),
	};

	if (c->kind == DISK_WHOLE &&
	    hv_disk_info(hv, (uint32_t)strtoul(c->source, NULL, 10), &info,
			 err))
		return -1;
	if (extents_of_config(e, c, info.sectors, err) ||
	    make_disk(all, hv, s, &d, e, err)) {
		error_prefix(err, "disk %s", c->device);
		return -1;
	}
	return 0;
}

static int create_vif(struct devices *all, struct hv *hv, struct store *s,
		      uint32_t id, const struct domain_config *c,
		      uint32_t number, struct error *err)
{
	struct device d = { .kind = DEVICE_VIF,
			    .domain_id = id,
			    .number = number };
	struct xeno_vif_create op;

	vif_plan(&op, id, number, c->name, &c->vifs[number]);
	memcpy(d.mac, op.mac, sizeof(d.mac));
	if (hv_vif_create(hv, &op, err) || publish(all, s, &d, err))
		return -1;
	return op.ipv4_count ? lease_add(all->lease_folder, id, number, op.mac,
					 op.ipv4[0], err)
			     : 0;
}

int devices_create(struct devices *all, struct hv *hv, struct store *s,
		   uint32_t id, const struct domain_config *c,
		   struct error *err)
{
	for (unsigned int i = 0; i < c->disk_count; i++)
		if (create_disk(all, hv, s, id, c->vcpus, &c->disks[i], err))
			return -1;
	for (unsigned int i = 0; i < c->vif_count; i++)
		if (create_vif(all, hv, s, id, c, i, err))
			return -1;
	return 0;
}

static int adopt_disk(struct devices *all, struct hv *hv, struct store *s,
		      uint32_t id, uint32_t vcpus, const struct disk_config *c,
		      struct error *err)
{
	struct xeno_vbd_info info = { .domain_id = id, .vbd = c->number };
	struct device d = {
		.kind = DEVICE_VBD,
		.domain_id = id,
		.number = c->number,
		.writable = c->writable,
		.queues_max = queues_for(vcpus),
	};

	if (hv_vbd_info(hv, &info, err))
		return -1;
	d.sectors = info.sectors;
	return adopt(all, hv, s, &d, err);
}

static int adopt_vif(struct devices *all, struct hv *hv, struct store *s,
		     uint32_t id, uint32_t number, struct error *err)
{
	struct xeno_vif_info info = { .domain_id = id, .vif = number };
	struct device d = { .kind = DEVICE_VIF,
			    .domain_id = id,
			    .number = number };

	if (hv_vif_info(hv, &info, err))
		return -1;
	memcpy(d.mac, info.mac, sizeof(d.mac));
	return adopt(all, hv, s, &d, err);
}

int devices_adopt(struct devices *all, struct hv *hv, struct store *s,
		  uint32_t id, const struct domain_config *c, struct error *err)
{
	for (unsigned int i = 0; i < c->disk_count; i++)
		if (adopt_disk(all, hv, s, id, c->vcpus, &c->disks[i], err))
			return -1;
	for (unsigned int i = 0; i < c->vif_count; i++)
		if (adopt_vif(all, hv, s, id, i, err))
			return -1;
	return 0;
}

static int create_own_disk(struct devices *all, struct hv *hv, struct store *s,
			   const struct xeno_disk_info *info, struct error *err)
{
	struct extents *e = &scratch_extents;
	struct device d = {
		.number = XVDA + info->disk * MINORS_PER_DISK,
		.writable = !(info->flags & XENO_DISK_READ_ONLY),
		.queues_max = 1,
	};

	memset(e, 0, sizeof(*e));
	if (extents_add(e, info->disk, 0, info->sectors, err))
		return -1;
	return make_disk(all, hv, s, &d, e, err);
}

static int create_own_vif(struct devices *all, struct hv *hv, struct store *s,
			  struct error *err)
{
	struct device d = { .kind = DEVICE_VIF };
	struct xeno_uplink_info info;
	struct xeno_vif_create op;

	if (hv_uplink_info(hv, 0, &info, err)) {
		if (err->code != ERR_NOT_FOUND)
			return -1;
		/* No card: guests can still be talked to. */
		info = (struct xeno_uplink_info){
			.mac = { 2, 0, 0, 0, 0, 1 },
		};
	}
	op = (struct xeno_vif_create){
		.flags = XENO_VIF_ANY_SOURCE | XENO_VIF_DHCP_SERVER,
	};
	memcpy(op.mac, info.mac, sizeof(op.mac));
	memcpy(d.mac, info.mac, sizeof(d.mac));
	if (hv_vif_create(hv, &op, err) && err->code != ERR_EXISTS)
		return -1;
	return adopt(all, hv, s, &d, err);
}

/* What there is to serve, may be less than everything: a hypervisor without
 * disks, or without a network, still has a Domain 0. */
int devices_create_own(struct devices *all, struct hv *hv, struct store *s,
		       struct error *err)
{
	struct xeno_disk_info info;
	uint32_t disk = 0;

	if (!hv_is_own(hv))
		return 0;
	while (disk < CONFIG_DISKS_MAX &&
	       hv_disk_info(hv, disk++, &info, err) == 0)
		if (create_own_disk(all, hv, s, &info, err))
			log_warning("op=own-disk disk=%u message=\"%s\"",
				    info.disk, err->message);
	if (create_own_vif(all, hv, s, err))
		log_warning("op=own-vif message=\"%s\"", err->message);
	return 0;
}

/* The directories that the domain's back ends had in common. */
void devices_forget(struct store *s, uint32_t id)
{
	static const enum device_kind kinds[] = { DEVICE_VBD, DEVICE_VIF };
	char path[STORE_PATH_MAX];

	for (unsigned int i = 0; i < 2; i++) {
		device_backs(kinds[i], id, path);
		store_remove(s, path);
	}
}

void devices_destroy(struct devices *all, struct hv *hv, struct store *s)
{
	struct error ignored;

	while (all->count) {
		struct device *d = &all->list[--all->count];

		device_withdraw(d, s);
		if (d->kind == DEVICE_VBD) {
			hv_vbd_destroy(hv, d->domain_id, d->number, &ignored);
			continue;
		}
		lease_remove(all->lease_folder, d->domain_id, d->number);
		hv_vif_destroy(hv, d->domain_id, d->number, &ignored);
	}
}

void devices_follow(struct devices *all, struct hv *hv, struct store *s,
		    enum device_kind kind, uint32_t number)
{
	for (unsigned int i = 0; i < all->count; i++) {
		struct device *d = &all->list[i];

		if (d->kind == kind && d->number == number)
			device_follow(d, s, hv);
	}
}
