/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations on disks and virtual block devices. A VBD is an ordered
 * list of extents of disks with rights; its sectors are numbered from 0
 * through the list. Sectors are 512 bytes everywhere.
 *
 * Domain 0 plays the xenstore half of the blkif protocol: it creates the VBD,
 * publishes the features, waits for the front end's ring and port, connects
 * them with VBD_CONNECT, and says Connected. From then on requests go past it.
 * The front end addresses everything to XENO_DOMAIN_BACKEND.
 *
 * -ESRCH: no such domain; -ENOENT: no such VBD, disk or queue.
 */
#ifndef XENO_VBD_H
#define XENO_VBD_H

#include <xeno/abi.h>

#define XENO_DISK_INFO_VERSION 1

#define XENO_DISK_READ_ONLY 1
#define XENO_DISK_FLUSH 2 /* has a volatile cache that can be flushed */
#define XENO_DISK_DISCARD 4

struct xeno_disk_info {
	struct xeno_envelope head;
	/* in */
	uint32_t disk; /* from 0; -ENOENT beyond the last */
	uint32_t mbz;
	/* out */
	uint64_t sectors;
	uint32_t flags;                /* XENO_DISK_* */
	uint32_t physical_block_bytes; /* best unit of writing */
	char name[32];                 /* where it is: "pci-0000:00:04.0" */
	char serial[32];               /* as the device says; may be empty */
	/* Since boot, for comparing with the device's own counts. */
	uint64_t requests[4]; /* read, write, flush, discard */
	uint64_t bytes[4];
	uint64_t errors;
};

_Static_assert(sizeof(struct xeno_disk_info) == 176, "part of the ABI");

/* ---- a VBD's life ---- */

#define XENO_VBD_CREATE_VERSION 1
#define XENO_VBD_EXTENTS_MAX 1024
#define XENO_VBDS_PER_DOMAIN 32

#define XENO_VBD_READ_ONLY 1

struct xeno_vbd_extent {
	uint32_t disk;
	uint32_t mbz;
	uint64_t first_sector;
	uint64_t sectors; /* not 0 */
};

_Static_assert(sizeof(struct xeno_vbd_extent) == 24, "part of the ABI");

/* -EEXIST: the domain has a VBD of that number; -EINVAL: an extent is empty or
 * beyond its disk's end, or too many; -EROFS: writable on a read-only disk;
 * -EBUSY: an extent overlaps one of another VBD and either may be written,
 * unless one of the domains is 0; -ENOSPC: too many VBDs; -ENOMEM. A node
 * creates one VBD at a time: what is called meanwhile starts the other again.
 */
struct xeno_vbd_create {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vbd;   /* the ABI's virtual-device number, 51712: xvda */
	uint32_t flags; /* XENO_VBD_* */
	uint32_t extent_count; /* 1..XENO_VBD_EXTENTS_MAX */
	uint64_t extents;      /* address of struct xeno_vbd_extent[] */
	/* out */
	uint64_t sectors;
};

_Static_assert(sizeof(struct xeno_vbd_create) == 48, "part of the ABI");

#define XENO_VBD_CONNECT_VERSION 1
#define XENO_VBD_RING_PAGES_MAX 16
#define XENO_VBD_QUEUES_MAX 8

/* One call per queue. -EBUSY: that queue is connected; -EINVAL: pages not a
 * power of two or too many, bad grant or port. */
struct xeno_vbd_connect {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vbd;
	uint32_t queue; /* 0..XENO_VBD_QUEUES_MAX - 1 */
	uint32_t port;  /* of the front end */
	uint32_t ring_pages;
	uint32_t mbz;
	uint32_t ring_refs[XENO_VBD_RING_PAGES_MAX];
};

_Static_assert(sizeof(struct xeno_vbd_connect) == 104, "part of the ABI");

/* Names a VBD. DISCONNECT, of all its queues: returns when nothing is in
 * flight and no page of the guest is held any more, and may be repeated.
 * Requests still in the rings stay there; what was taken and not yet sent to a
 * disk fails. -EAGAIN: a disk has not answered for a second; nothing more is
 * taken from the rings, repeat. DESTROY disconnects first. */
#define XENO_VBD_DISCONNECT_VERSION 1
#define XENO_VBD_DESTROY_VERSION 1

struct xeno_vbd_name {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vbd;
};

_Static_assert(sizeof(struct xeno_vbd_name) == 24, "part of the ABI");

#define XENO_VBD_INFO_VERSION 1

struct xeno_vbd_info {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t vbd; /* or, with next 1, the smallest number above it */
	uint32_t next;
	uint32_t mbz;
	/* out */
	uint32_t id; /* which VBD this is */
	uint32_t flags;
	uint32_t connected_queues;
	uint32_t in_flight;
	uint64_t sectors;
	/* Of the disks, counted as they count: read, write, flush, discard;
	 * done or failed, and the bytes of those done. A request of the front
	 * end that crosses extents, or exceeds what a disk takes, is several.
	 */
	uint64_t requests[4];
	uint64_t bytes[4];
	uint64_t errors;  /* of them, failed */
	uint64_t refused; /* requests of the front end that broke a rule */
};

_Static_assert(sizeof(struct xeno_vbd_info) == 136, "part of the ABI");

#endif
