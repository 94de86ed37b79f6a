// SPDX-License-Identifier: Apache-2.0
/*
 * Opens and closes the ways to the hypervisor, and what is asked about
 * domains as such: standard operations through libxenctrl, our own through
 * its hypercall handle.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <xencall.h>

#include <xeno/meter_page.h>
#include <xeno/node.h>

#include "hv/hv_private.h"

int hv_fail(struct error *err, const char *what)
{
	enum error_code code;

	switch (errno) {
	case EINVAL:
	case ERANGE:
	case EROFS:
		code = ERR_INVALID;
		break;
	case ESRCH:
	case ENOENT:
		code = ERR_NOT_FOUND;
		break;
	case EEXIST:
		code = ERR_EXISTS;
		break;
	case EBUSY:
		code = ERR_BUSY;
		break;
	case ENOMEM:
	case ENOSPC:
		code = ERR_NO_MEMORY;
		break;
	case ENOSYS:
	case EOPNOTSUPP:
	case ENOTTY:
		code = ERR_UNSUPPORTED;
		break;
	default:
		code = ERR_SYSTEM;
	}
	return error_set(err, code, "%s: %s", what, strerror(errno));
}

int hv_private_call(struct hv *hv, void *arg, uint32_t op, uint32_t version,
		    uint32_t size)
{
	struct xeno_envelope *head = arg;
	int rc;

	*head = (struct xeno_envelope){ version, op, size, 0 };
	memcpy(hv->op, arg, size);
	rc = xencall1(xc_interface_xcall_handle(hv->xc),
		      XENO_HYPERVISOR_CONTROL, (uintptr_t)hv->op);
	/* Some operations say where an error is. */
	memcpy(arg, hv->op, size);
	return rc < 0 ? -1 : 0;
}

static int open_all(struct hv *hv, struct error *err)
{
	struct xeno_cpu_counters counters = { .cpu = 0 };
	xencall_handle *calls;

	hv->xc = xc_interface_open(NULL, NULL, 0);
	if (!hv->xc)
		return hv_fail(err, "the hypervisor's control interface");
	hv->memory = xenforeignmemory_open(NULL, 0);
	hv->events = xenevtchn_open(NULL, 0);
	hv->grants = xengnttab_open(NULL, 0);
	if (!hv->memory || !hv->events || !hv->grants)
		return hv_fail(err, "foreign memory, event or grant device");
	calls = xc_interface_xcall_handle(hv->xc);
	hv->op = xencall_alloc_buffer_pages(calls, 1);
	hv->frames = xencall_alloc_buffer_pages(calls, 1);
	hv->bulk = xencall_alloc_buffer_pages(calls, HV_BULK_PAGES);
	if (!hv->op || !hv->frames || !hv->bulk)
		return hv_fail(err, "buffers for hypercalls");
	hv->own = HV_CALL(hv, &counters, CPU_COUNTERS) == 0;
	hv->copies = hv->own;
	return 0;
}

int hv_open(struct hv **out, struct error *err)
{
	struct hv *hv = calloc(1, sizeof(*hv));

	if (!hv)
		return hv_fail(err, "memory");
	if (open_all(hv, err)) {
		hv_close(hv);
		return -1;
	}
	*out = hv;
	return 0;
}

static void free_pages(struct hv *hv, void *pages, size_t count)
{
	if (pages)
		xencall_free_buffer_pages(xc_interface_xcall_handle(hv->xc),
					  pages, count);
}

void hv_close(struct hv *hv)
{
	if (!hv)
		return;
	if (hv->xc) {
		free_pages(hv, hv->op, 1);
		free_pages(hv, hv->frames, 1);
		free_pages(hv, hv->bulk, HV_BULK_PAGES);
		xc_interface_close(hv->xc);
	}
	if (hv->memory)
		xenforeignmemory_close(hv->memory);
	if (hv->events)
		xenevtchn_close(hv->events);
	if (hv->grants)
		xengnttab_close(hv->grants);
	free(hv);
}

bool hv_is_own(const struct hv *hv)
{
	return hv->own;
}

int hv_node_info(struct hv *hv, struct hv_node *out, struct error *err)
{
	xc_physinfo_t info;

	memset(&info, 0, sizeof(info));
	if (xc_physinfo(hv->xc, &info))
		return hv_fail(err, "the node's size");
	out->cpus = info.nr_cpus;
	out->total_pages = info.total_pages;
	out->free_pages = info.free_pages;
	return 0;
}

/* Nothing but the guest's own use limits its ports and grants here; the
 * hypervisor charges it for them. */
#define MAX_GRANT_FRAMES 32
#define MAX_MAPTRACK_FRAMES 0
#define MAX_PORT 1023

/* A guest's TSC is the machine's: no trap for every reading. */
#define TSC_MODE_NATIVE 2

int hv_domain_create(struct hv *hv, uint32_t vcpus, uint64_t max_pages,
		     uint32_t *id, struct error *err)
{
	struct xen_domctl_createdomain config = {
		.max_vcpus = vcpus,
		.max_evtchn_port = MAX_PORT,
		.max_grant_frames = MAX_GRANT_FRAMES,
		.max_maptrack_frames = MAX_MAPTRACK_FRAMES,
		.grant_opts = XEN_DOMCTL_GRANT_version(1),
	};

	*id = 0;
	if (xc_domain_create(hv->xc, id, &config))
		return hv_fail(err, "creating a domain");
	if (xc_domain_max_vcpus(hv->xc, *id, vcpus))
		hv_fail(err, "its vCPUs");
	else if (xc_domain_setmaxmem(hv->xc, *id,
				     max_pages * (HV_PAGE_BYTES / 1024)))
		hv_fail(err, "its memory limit");
	else if (!hv->own &&
		 xc_domain_set_tsc_info(hv->xc, *id, TSC_MODE_NATIVE, 0, 0, 0))
		hv_fail(err, "its time stamp counter");
	else
		return 0;
	xc_domain_destroy(hv->xc, *id);
	return -1;
}

int hv_domain_destroy(struct hv *hv, uint32_t id, struct error *err)
{
	/* libxenctrl repeats it while the hypervisor has more to do. */
	if (xc_domain_destroy(hv->xc, id))
		return hv_fail(err, "destroying the domain");
	return 0;
}

int hv_domain_pause(struct hv *hv, uint32_t id, struct error *err)
{
	return xc_domain_pause(hv->xc, id) ? hv_fail(err, "pausing") : 0;
}

int hv_domain_unpause(struct hv *hv, uint32_t id, struct error *err)
{
	return xc_domain_unpause(hv->xc, id) ? hv_fail(err, "unpausing") : 0;
}

int hv_domain_set_max_pages(struct hv *hv, uint32_t id, uint64_t max_pages,
			    struct error *err)
{
	if (xc_domain_setmaxmem(hv->xc, id, max_pages * (HV_PAGE_BYTES / 1024)))
		return hv_fail(err, "the memory limit");
	return 0;
}

static void translate(struct hv_domain *out, const xc_domaininfo_t *in)
{
	*out = (struct hv_domain){
		.id = in->domain,
		.shutdown_code = in->flags >> XEN_DOMINF_shutdownshift &
				 XEN_DOMINF_shutdownmask,
		.paused = in->flags & XEN_DOMINF_paused,
		.vcpus = in->max_vcpu_id + 1,
		.pages = in->tot_pages,
		.max_pages = in->max_pages,
		.cpu_ns = in->cpu_time,
		.shared_info_mfn = in->shared_info_frame,
	};
	if (in->flags & XEN_DOMINF_dying)
		out->state = HV_DYING;
	else if (in->flags & XEN_DOMINF_shutdown)
		out->state = HV_SHUT_DOWN;
	else
		out->state = HV_RUNNING;
}

/* Domains asked for with one call. */
#define LIST_BATCH 64U

int hv_domain_list(struct hv *hv, uint32_t first, struct hv_domain *out,
		   unsigned int count, struct error *err)
{
	xc_domaininfo_t info[LIST_BATCH];
	unsigned int found = 0;

	while (found < count) {
		unsigned int want = count - found;
		int n;

		if (want > LIST_BATCH)
			want = LIST_BATCH;
		n = xc_domain_getinfolist(hv->xc, first, want, info);
		if (n < 0)
			return hv_fail(err, "the list of domains");
		for (int i = 0; i < n; i++)
			translate(&out[found++], &info[i]);
		if (n == 0 || (unsigned int)n < want)
			break;
		first = info[n - 1].domain + 1U;
	}
	return (int)found;
}

int hv_domain_info(struct hv *hv, uint32_t id, struct hv_domain *out,
		   struct error *err)
{
	int n = hv_domain_list(hv, id, out, 1, err);

	if (n < 0)
		return -1;
	if (n == 0 || out->id != id)
		return error_set(err, ERR_NOT_FOUND, "no domain %u", id);
	return 0;
}

void hv_crash_reason(struct hv *hv, uint32_t id, char *out, size_t size)
{
	struct xeno_domain_info info = { .domain_id = id };

	*out = '\0';
	if (!hv->own || HV_CALL(hv, &info, DOMAIN_INFO))
		return;
	info.crash_reason[sizeof(info.crash_reason) - 1] = '\0';
	strncat(out, info.crash_reason, size - 1);
}

/* Until nothing is written meanwhile: the sequences in the first word, of which
 * odd has the lowest bits, are even and stay. */
static void copy_part(void *out, const volatile void *part, size_t size,
		      uint64_t odd)
{
	const volatile uint64_t *sequence = part;
	uint64_t before;

	do {
		before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);
		for (size_t i = 0; i < size / sizeof(uint64_t); i++)
			((uint64_t *)out)[i] =
				((const volatile uint64_t *)part)[i];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while ((before & odd) ||
		 before != __atomic_load_n(sequence, __ATOMIC_RELAXED));
}

int hv_meter_read(struct hv *hv, uint32_t id, struct xeno_meter_page *out,
		  struct error *err)
{
	struct xeno_meter_page_where where = { .domain_id = id };
	const struct xeno_meter_page *page;
	xen_pfn_t mfn;
	int bad;

	if (HV_CALL(hv, &where, METER_PAGE))
		return hv_fail(err, "the domain's meter page");
	mfn = where.mfn;
	page = xenforeignmemory_map(hv->memory, id, PROT_READ, 1, &mfn, &bad);
	if (!page)
		return hv_fail(err, "mapping the domain's meter page");
	memcpy(out, page, sizeof(*out));
	for (unsigned int i = 0; i < XENO_VBDS_PER_DOMAIN; i++)
		copy_part(&out->vbds[i], &page->vbds[i], sizeof(out->vbds[i]),
			  1);
	for (unsigned int i = 0; i < XENO_VIFS_PER_DOMAIN; i++)
		copy_part(&out->vifs[i], &page->vifs[i], sizeof(out->vifs[i]),
			  1ULL << 32 | 1);
	xenforeignmemory_unmap(hv->memory, (void *)(uintptr_t)page, 1);
	return 0;
}

int hv_sched_get(struct hv *hv, uint32_t id, struct hv_sched *out,
		 struct error *err)
{
	struct xeno_sched s = { .domain_id = id };

	if (HV_CALL(hv, &s, SCHED_GET))
		return hv_fail(err, "scheduling parameters");
	*out = (struct hv_sched){ s.weight, s.cap_permille, s.warp_ns,
				  s.warp_limit_ns, s.unwarp_min_ns };
	return 0;
}

int hv_sched_set(struct hv *hv, uint32_t id, const struct hv_sched *in,
		 struct error *err)
{
	struct xeno_sched s = {
		.domain_id = id,
		.weight = in->weight,
		.cap_permille = in->cap_permille,
		.warp_ns = in->warp_ns,
		.warp_limit_ns = in->warp_limit_ns,
		.unwarp_min_ns = in->unwarp_min_ns,
	};

	if (HV_CALL(hv, &s, SCHED_SET))
		return hv_fail(err, "scheduling parameters");
	return 0;
}
