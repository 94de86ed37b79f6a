/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meter page of a domain: what it has used, kept up to date by the
 * hypervisor and mapped read-only by Domain 0 (XENO_OP_METER_PAGE), so that
 * reading it costs no hypercall.
 *
 * Fields that stand alone are single words, which are never torn. What belongs
 * together has a sequence count, odd while it is being written: a reader takes
 * the count (again, while it is odd), reads, and starts over when the count is
 * another one afterwards. Counters only grow; an entry that is not in use any
 * more keeps its last values until the hypervisor needs it for another device.
 *
 * CPU time is exact up to the last time that its vCPU left a CPU or the
 * hypervisor did something else on that CPU; what runs now is not in it yet.
 */
#ifndef XENO_METER_PAGE_H
#define XENO_METER_PAGE_H

#include <xeno/node.h>
#include <xeno/vbd.h>
#include <xeno/vif.h>

#define XENO_METER_PAGE_LAYOUT 2

struct xeno_meter_vbd {
	uint32_t sequence;
	uint32_t in_use; /* 1 */
	uint64_t vbd;    /* its number; 0: never used */
	uint64_t read_requests, read_bytes;
	uint64_t write_requests, write_bytes; /* flushes are requests */
	uint64_t errors;
};

/* Of VIF i of the domain, as seen from the domain: tx is what it sent. */
struct xeno_meter_vif {
	uint32_t tx_sequence, rx_sequence; /* of the fields tx_ and rx_ */
	uint64_t in_use;                   /* 1 */
	uint64_t tx_packets, tx_bytes;
	uint64_t rx_packets, rx_bytes;
	uint64_t tx_drops[XENO_DROPS]; /* by enum xeno_drop */
	uint64_t rx_drops[XENO_DROPS];
};

struct xeno_meter_page {
	uint32_t layout; /* XENO_METER_PAGE_LAYOUT */
	uint32_t domain_id;
	/* Bits 0..31: XENO_DOMAIN_* of xeno/domain.h; 32..63: SHUTDOWN_* */
	uint64_t state;
	uint64_t created_ns;
	uint64_t cpu_ns[XENO_MAX_VCPUS];
	struct xeno_meter_vbd vbds[XENO_VBDS_PER_DOMAIN];
	struct xeno_meter_vif vifs[XENO_VIFS_PER_DOMAIN];
};

_Static_assert(sizeof(struct xeno_meter_page) <= 4096, "one page");

#endif
