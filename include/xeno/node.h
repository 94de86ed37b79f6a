/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations about the node: what its CPUs have counted, where time
 * and memory are. They only tell. Fields under "in" are the caller's and come
 * back unchanged, the others are written.
 */
#ifndef XENO_NODE_H
#define XENO_NODE_H

#include <xeno/abi.h>

#define XENO_MAX_CPUS 64
#define XENO_MAX_VCPUS 32

/* The calling domain, as a domain_id. */
#define XENO_DOMAIN_SELF 0x7ff0

/* ---- what one CPU has counted since boot ---- */

#define XENO_CPU_COUNTERS_VERSION 1

/* -ENOENT: no such CPU. Another CPU's counts may be a few events old. */
struct xeno_cpu_counters {
	struct xeno_envelope head;
	/* in */
	uint32_t cpu;
	uint32_t mbz;
	/* out */
	uint32_t cpu_count;        /* of the machine; numbered from 0 */
	uint32_t online;           /* 1: it runs guests */
	uint64_t entries;          /* from guests into the hypervisor */
	uint64_t page_table_loads; /* of CR3 */
	uint64_t copied_bytes;     /* by copies from and to guests; the
				    * few single words read in place are
				    * not in here */
};

_Static_assert(sizeof(struct xeno_cpu_counters) == 56, "part of the ABI");

/* ---- the books of CPU time, of one instant ---- */

#define XENO_METERS_VERSION 1

struct xeno_cpu_books {
	uint64_t elapsed_ns; /* since the CPU started; 0: it has not */
	uint64_t sum_ns;     /* of the accounts charged on it */
};

/* Elapsed time and sum are equal, of each CPU and in total; sum_ns is the sum
 * of the five accounts that follow. */
struct xeno_meters {
	struct xeno_envelope head;
	uint64_t elapsed_ns;
	uint64_t sum_ns;
	uint64_t idle_ns;
	uint64_t irq_ns;   /* interrupts, until it is known for whom */
	uint64_t sched_ns; /* choosing and switching */
	uint64_t boot_ns;
	uint64_t domains_ns; /* all domains that ever were */
	struct xeno_cpu_books cpu[XENO_MAX_CPUS];
};

_Static_assert(sizeof(struct xeno_meters) == 1096, "part of the ABI");

/* ---- what one domain has used and takes up ---- */

#define XENO_DOMAIN_METER_VERSION 1

/* -ESRCH: no such domain. */
struct xeno_domain_meter {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id; /* or XENO_DOMAIN_SELF */
	uint32_t mbz;
	/* out */
	uint32_t id; /* never XENO_DOMAIN_SELF */
	uint32_t vcpu_count;
	uint64_t owned_pages; /* its memory */
	uint64_t max_pages;   /* what that may grow to */
	/* Whole pages the hypervisor keeps for it. Of these, shared_pages are
	 * those the domain can see: shared info and the grant table, which
	 * grows as the domain asks. */
	uint64_t state_pages;
	uint64_t shared_pages;
	/* All it takes up: the pages, and its parts of pages that domains
	 * share. What the hypervisor keeps for each frame of the machine,
	 * whoever owns it, is not in here. */
	uint64_t state_bytes;
	/* Time charged, by vCPU; 0 beyond vcpu_count. Of a vCPU that runs on
	 * another CPU than the caller, without its open interval. */
	uint64_t vcpu_cpu_ns[XENO_MAX_VCPUS];
};

_Static_assert(sizeof(struct xeno_domain_meter) == 328, "part of the ABI");

/* ---- where the frames of memory are ---- */

#define XENO_FRAMES_VERSION 1

/*
 * Counts some frames from first_mfn on: starting with 0, and going on with
 * next_mfn until that is 0, all are counted. total and free are those of the
 * moment, so the whole is exact if no frame changed hands meanwhile; then
 * total = free + the sums of domains and hypervisor, or frames are lost.
 */
struct xeno_frames {
	struct xeno_envelope head;
	/* in */
	uint64_t first_mfn;
	/* out */
	uint64_t next_mfn;
	uint64_t total; /* frames of memory that are given out */
	uint64_t free;  /* of these, not in use */
	/* From first_mfn up to next_mfn. */
	uint64_t domains;    /* that domains own; shared pages too */
	uint64_t hypervisor; /* that it took for itself and for state */
	uint64_t unowned;    /* free, or never given out: image, boot tables */
};

_Static_assert(sizeof(struct xeno_frames) == 72, "part of the ABI");

/* ---- its clock ---- */

#define XENO_CLOCK_VERSION 1

/* Only grows, at its own pace; times of domains are by it. */
struct xeno_clock {
	struct xeno_envelope head;
	/* out */
	uint64_t now_ns; /* since boot */
};

_Static_assert(sizeof(struct xeno_clock) == 24, "part of the ABI");

#endif
