/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be asked of a hypervisor. hv_*.c asks ours, and of what both know
 * real Xen; the fake of the unit tests records. Not thread-safe: one thread
 * owns the handle.
 */
#ifndef HV_HV_H
#define HV_HV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define HV_PAGE_BYTES 4096UL

struct hv;

int hv_open(struct hv **out, struct error *err);
void hv_close(struct hv *hv);
/* It carries blocks and packets itself, and knows our private operations. */
bool hv_is_own(const struct hv *hv);

/* The hypervisor's clock: it only grows, and begins anew with each boot. */
int hv_clock(struct hv *hv, uint64_t *now_ns, struct error *err);

struct hv_node {
	uint32_t cpus;
	uint64_t total_pages, free_pages;
};

int hv_node_info(struct hv *hv, struct hv_node *out, struct error *err);

/* ---- domains ---- */

enum hv_state { HV_BUILDING, HV_RUNNING, HV_SHUT_DOWN, HV_DYING };

struct hv_domain {
	uint32_t id;
	enum hv_state state;
	uint32_t shutdown_code; /* SHUTDOWN_* once HV_SHUT_DOWN */
	bool paused;
	bool on_cpu; /* one of its vCPUs is */
	uint32_t vcpus;
	uint64_t pages, max_pages;
	uint64_t cpu_ns;
	uint64_t shared_info_mfn;
};

/* The new domain is paused and has no memory. */
int hv_domain_create(struct hv *hv, uint32_t vcpus, uint64_t max_pages,
		     uint32_t *id, struct error *err);
/* Returns when nothing of it is left. */
int hv_domain_destroy(struct hv *hv, uint32_t id, struct error *err);
int hv_domain_pause(struct hv *hv, uint32_t id, struct error *err);
int hv_domain_unpause(struct hv *hv, uint32_t id, struct error *err);
int hv_domain_set_max_pages(struct hv *hv, uint32_t id, uint64_t max_pages,
			    struct error *err);
int hv_domain_info(struct hv *hv, uint32_t id, struct hv_domain *out,
		   struct error *err);
/* Domains from first on, in order: how many, or -1. */
int hv_domain_list(struct hv *hv, uint32_t first, struct hv_domain *out,
		   unsigned int count, struct error *err);
/* "" when it did not crash or the hypervisor does not say. */
void hv_crash_reason(struct hv *hv, uint32_t id, char *out, size_t size);

struct xeno_meter_page;
/* A copy of the domain's meter page, each part of one moment. */
int hv_meter_read(struct hv *hv, uint32_t id, struct xeno_meter_page *out,
		  struct error *err);

struct hv_sched {
	uint32_t weight;
	uint32_t cap_permille; /* of one CPU; 0: none */
	uint64_t warp_ns, warp_limit_ns, unwarp_min_ns;
};

int hv_sched_get(struct hv *hv, uint32_t id, struct hv_sched *out,
		 struct error *err);
int hv_sched_set(struct hv *hv, uint32_t id, const struct hv_sched *s,
		 struct error *err);

/* ---- a domain's memory, while it is built ---- */

/* Gives it frames for pfns first_pfn..; mfns gets them. */
int hv_memory_populate(struct hv *hv, uint32_t id, uint64_t first_pfn,
		       uint64_t count, uint64_t *mfns, struct error *err);
/* Page i of pages to frame mfns[i]. */
int hv_memory_write(struct hv *hv, uint32_t id, const uint64_t *mfns,
		    uint64_t count, const void *pages, struct error *err);
/* Grants Domain 0 two frames under the reserved references for console and
 * xenstore. */
int hv_grants_seed(struct hv *hv, uint32_t id, uint64_t console_frame,
		   uint64_t store_frame, struct error *err);
/* No event reaches its vCPUs before they ask for events. */
int hv_events_mask(struct hv *hv, uint32_t id, uint64_t shared_info_mfn,
		   struct error *err);
int hv_tables_pin(struct hv *hv, uint32_t id, uint64_t l4_mfn,
		  struct error *err);

struct hv_start {
	uint64_t entry, stack_end, start_info; /* virtual addresses */
	uint64_t l4_mfn;
};

int hv_vcpu_set_start(struct hv *hv, uint32_t id, const struct hv_start *start,
		      struct error *err);

/* ---- event channels and grants of Domain 0 ---- */

/* A port of the domain for Domain 0 to bind. */
int hv_port_alloc(struct hv *hv, uint32_t id, uint32_t *port,
		  struct error *err);
/* Readable when hv_event_next has something. */
int hv_event_fd(const struct hv *hv);
int hv_event_bind(struct hv *hv, uint32_t id, uint32_t remote_port,
		  uint32_t *port, struct error *err);
void hv_event_unbind(struct hv *hv, uint32_t port);
void hv_event_notify(struct hv *hv, uint32_t port);
/* The next port with an event, unmasked again; -1: none. */
int hv_event_next(struct hv *hv);
/* One page granted by a domain, writable. */
void *hv_grant_map(struct hv *hv, uint32_t id, uint32_t ref, struct error *err);
void hv_grant_unmap(struct hv *hv, void *page);

#endif
