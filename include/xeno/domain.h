/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control operations on one domain, beyond the standard domctl: why it ended,
 * copies of its memory for builders, its meter page, its scheduling.
 * -ESRCH everywhere: no such domain. Addresses are of the caller's memory,
 * which must be present.
 */
#ifndef XENO_DOMAIN_H
#define XENO_DOMAIN_H

#include <xeno/abi.h>

/* ---- its state ---- */

#define XENO_DOMAIN_INFO_VERSION 1

#define XENO_DOMAIN_BUILDING 0
#define XENO_DOMAIN_RUNNING 1
#define XENO_DOMAIN_SHUT_DOWN 2
#define XENO_DOMAIN_DYING 3

struct xeno_domain_info {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t mbz;
	/* out */
	uint32_t state;         /* XENO_DOMAIN_* */
	uint32_t shutdown_code; /* SHUTDOWN_* of xen/sched.h once SHUT_DOWN */
	uint32_t paused;        /* 1: by a control operation */
	uint32_t pad;           /* 0 */
	uint64_t created_ns;    /* on the hypervisor's clock since boot */
	char crash_reason[80];  /* NUL-terminated; empty: it did not crash */
};

_Static_assert(sizeof(struct xeno_domain_info) == 128, "part of the ABI");

/* ---- its meter page ---- */

#define XENO_METER_PAGE_VERSION 1

/* Map the frame as one of that domain's (a foreign mapping), read-only, which
 * is the only way it can be mapped. It stays while it is mapped. */
struct xeno_meter_page_where {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t mbz;
	/* out */
	uint64_t mfn; /* of its struct xeno_meter_page */
};

_Static_assert(sizeof(struct xeno_meter_page_where) == 32, "part of the ABI");

/* ---- copies to and from whole pages of a domain ---- */

#define XENO_DOMAIN_MEMORY_VERSION 1
#define XENO_DOMAIN_MEMORY_PAGES_MAX 32

#define XENO_DOMAIN_MEMORY_READ 0
#define XENO_DOMAIN_MEMORY_WRITE 1

/*
 * Page i of the buffer from or to frame mfns[i]. -EINVAL: too many pages, or a
 * frame is not the domain's; -EBUSY: writing a frame that is a page table or
 * part of a descriptor table; -EPERM: writing a domain that has been started.
 * When frames before the bad one have been copied that is no error: done says
 * how many.
 */
struct xeno_domain_memory {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	uint32_t direction; /* XENO_DOMAIN_MEMORY_* */
	uint32_t count;     /* pages */
	uint32_t mbz;
	uint64_t mfns;   /* address of count uint64_t */
	uint64_t buffer; /* address of count pages, page aligned */
	/* out */
	uint64_t done;
};

_Static_assert(sizeof(struct xeno_domain_memory) == 56, "part of the ABI");

/* ---- scheduling, live ---- */

#define XENO_SCHED_GET_VERSION 1
#define XENO_SCHED_SET_VERSION 1

/* SET: -EINVAL: a value outside its range, and nothing changes. Applies to all
 * vCPUs of the domain; the weight is that of the domain and divided between
 * its running vCPUs by their use. */
struct xeno_sched {
	struct xeno_envelope head;
	/* in */
	uint32_t domain_id;
	/* in of SET, out of GET */
	uint32_t weight;       /* 1..65535; 256 is usual */
	uint32_t cap_permille; /* of one CPU; 0: none; at most 64000 */
	uint32_t mbz;
	uint64_t warp_ns;       /* at most an hour; 0: none */
	uint64_t warp_limit_ns; /* longest warped run; 0: no limit */
	uint64_t unwarp_min_ns; /* least time between warps */
};

_Static_assert(sizeof(struct xeno_sched) == 56, "part of the ABI");

#endif
