// SPDX-License-Identifier: Apache-2.0
/* What is particular about disks: the features, and rings of queues. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "xenstore/device.h"

/* Pages of one request's list of pages: 32 are what Linux asks for. */
#define INDIRECT_SEGMENTS 32
#define RING_ORDER_MAX 4
#define SECTOR_BYTES 512
#define INFO_READ_ONLY 4 /* of the ABI's "info" */

_Static_assert(1 << RING_ORDER_MAX == XENO_VBD_RING_PAGES_MAX, "of the ABI");

int vbd_publish(const struct device *d, struct store *s, const char *back,
		struct error *err)
{
	const struct {
		const char *name;
		uint32_t value;
	} nodes[] = {
		{ "feature-flush-cache", d->can_flush },
		{ "feature-barrier", 0 },
		/* Without: the disk reads and writes the guest's own pages. */
		{ "feature-persistent", 0 },
		{ "feature-max-indirect-segments", INDIRECT_SEGMENTS },
		{ "feature-discard", d->can_discard },
		{ "discard-granularity", d->physical_block_bytes },
		{ "discard-alignment", 0 },
		{ "discard-secure", 0 },
		{ "max-ring-page-order", RING_ORDER_MAX },
		{ "multi-queue-max-queues", d->queues_max },
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		if (store_writef(s, back, nodes[i].name, err, "%" PRIu32,
				 nodes[i].value))
			return -1;
	return store_writef(s, back, "mode", err, "%s",
			    d->writable ? "w" : "r");
}

static int read_ring(const char *at, struct store *s, uint32_t order,
		     struct xeno_vbd_connect *op, struct error *err)
{
	char name[24];

	if (!store_read_number(s, at, "event-channel", &op->port))
		return error_set(err, ERR_INVALID, "no event-channel");
	op->ring_pages = 1U << order;
	if (order == 0 &&
	    store_read_number(s, at, "ring-ref", &op->ring_refs[0]))
		return 0;
	for (uint32_t i = 0; i < op->ring_pages; i++) {
		snprintf(name, sizeof(name), "ring-ref%" PRIu32, i);
		if (!store_read_number(s, at, name, &op->ring_refs[i]))
			return error_set(err, ERR_INVALID, "no %s", name);
	}
	return 0;
}

static int check_protocol(struct store *s, const char *front, struct error *err)
{
	char path[STORE_PATH_MAX + 16], protocol[32];

	snprintf(path, sizeof(path), "%s/protocol", front);
	if (store_read(s, path, protocol, sizeof(protocol)) &&
	    strcmp(protocol, "x86_64-abi") != 0)
		return error_set(err, ERR_UNSUPPORTED, "another ring protocol");
	return 0;
}

int vbd_connect(struct device *d, struct store *s, struct hv *hv,
		struct error *err)
{
	char front[STORE_PATH_MAX], back[STORE_PATH_MAX];
	char queue[STORE_PATH_MAX + 16];
	uint32_t queues = 1, order = 0;

	device_front(d, front);
	device_back(d, back);
	store_read_number(s, front, "multi-queue-num-queues", &queues);
	store_read_number(s, front, "ring-page-order", &order);
	if (queues < 1 || queues > d->queues_max || order > RING_ORDER_MAX)
		return error_set(err, ERR_INVALID,
				 "%" PRIu32 " queues of order %" PRIu32, queues,
				 order);
	if (check_protocol(s, front, err))
		return -1;
	for (uint32_t i = 0; i < queues; i++) {
		struct xeno_vbd_connect op = { .domain_id = d->domain_id,
					       .vbd = d->number,
					       .queue = i };

		snprintf(queue, sizeof(queue),
			 queues > 1 ? "%s/queue-%" PRIu32 : "%s", front, i);
		if (read_ring(queue, s, order, &op, err) ||
		    hv_vbd_connect(hv, &op, err))
			return -1;
	}
	if (store_writef(s, back, "sectors", err, "%" PRIu64, d->sectors) ||
	    store_writef(s, back, "sector-size", err, "%d", SECTOR_BYTES) ||
	    store_writef(s, back, "physical-sector-size", err, "%" PRIu32,
			 d->physical_block_bytes))
		return -1;
	return store_writef(s, back, "info", err, "%d",
			    d->writable ? 0 : INFO_READ_ONLY);
}
