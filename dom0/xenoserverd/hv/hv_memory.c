// SPDX-License-Identifier: Apache-2.0
/*
 * A domain's memory and first vCPU while it is built. Our hypervisor copies
 * pages in with one call for many; on others the frames are mapped.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <xencall.h>

#include "hv/hv_private.h"

/* Extents asked for at a time, of one page and of 2 MiB. */
#define EXTENTS 512UL
#define LARGE_ORDER 9
#define LARGE_PAGES (1UL << LARGE_ORDER)

/* Up to EXTENTS extents of one order: how many came, or -1. */
static int populate_some(struct hv *hv, uint32_t id, uint64_t pfn,
			 uint64_t extents, unsigned int order, uint64_t *mfns)
{
	xen_pfn_t starts[EXTENTS];
	uint64_t i, j;
	int n;

	for (i = 0; i < extents; i++)
		starts[i] = pfn + (i << order);
	n = xc_domain_populate_physmap(hv->xc, id, extents, order, 0, starts);
	for (i = 0; n > 0 && i < (uint64_t)n; i++)
		for (j = 0; j < 1UL << order; j++)
			mfns[(i << order) + j] = starts[i] + j;
	return n;
}

int hv_memory_populate(struct hv *hv, uint32_t id, uint64_t first_pfn,
		       uint64_t count, uint64_t *mfns, struct error *err)
{
	bool large = true;
	uint64_t done = 0;

	while (done < count) {
		unsigned int order =
			large && count - done >= LARGE_PAGES ? LARGE_ORDER : 0;
		uint64_t extents = (count - done) >> order;
		int n;

		if (extents > EXTENTS)
			extents = EXTENTS;
		n = populate_some(hv, id, first_pfn + done, extents, order,
				  mfns + done);
		if (n > 0) {
			done += (uint64_t)n << order;
			continue;
		}
		/* No piece of 2 MiB is left: pages will do. */
		if (order) {
			large = false;
			continue;
		}
		if (n == 0)
			errno = ENOMEM;
		hv_fail(err, "memory for the domain");
		err->code = ERR_NO_MEMORY;
		return -1;
	}
	return 0;
}

static int write_mapped(struct hv *hv, uint32_t id, const uint64_t *mfns,
			size_t count, const void *pages, struct error *err)
{
	int bad[HV_BULK_PAGES];
	void *p = xenforeignmemory_map(hv->memory, id, PROT_READ | PROT_WRITE,
				       count, mfns, bad);

	if (!p)
		return hv_fail(err, "mapping the domain's memory");
	memcpy(p, pages, count * HV_PAGE_BYTES);
	xenforeignmemory_unmap(hv->memory, p, count);
	return 0;
}

/* As many of the pages as one call copies, at least one. */
static int write_called(struct hv *hv, uint32_t id, const uint64_t *mfns,
			size_t *count, const void *pages, struct error *err)
{
	struct xeno_domain_memory op = {
		.domain_id = id,
		.direction = XENO_DOMAIN_MEMORY_WRITE,
		.mfns = (uintptr_t)hv->frames,
		.buffer = (uintptr_t)hv->bulk,
	};

	if (*count > XENO_DOMAIN_MEMORY_PAGES_MAX)
		*count = XENO_DOMAIN_MEMORY_PAGES_MAX;
	op.count = (uint32_t)*count;
	memcpy(hv->frames, mfns, *count * sizeof(*mfns));
	memcpy(hv->bulk, pages, *count * HV_PAGE_BYTES);
	if (HV_CALL(hv, &op, DOMAIN_MEMORY))
		return hv_fail(err, "writing the domain's memory");
	*count = op.done;
	return 0;
}

int hv_memory_write(struct hv *hv, uint32_t id, const uint64_t *mfns,
		    uint64_t count, const void *pages, struct error *err)
{
	const unsigned char *from = pages;

	while (count) {
		size_t part = count < HV_BULK_PAGES ? count : HV_BULK_PAGES;
		int rc = hv->copies
				 ? write_called(hv, id, mfns, &part, from, err)
				 : write_mapped(hv, id, mfns, part, from, err);

		if (rc && hv->copies && err->code == ERR_UNSUPPORTED) {
			hv->copies = false;
			continue;
		}
		if (rc)
			return rc;
		mfns += part;
		from += part * HV_PAGE_BYTES;
		count -= part;
	}
	return 0;
}

static void seed(struct grant_entry_v1 *e, uint64_t mfn)
{
	e->frame = (uint32_t)mfn;
	e->domid = 0;
	__atomic_store_n(&e->flags, GTF_permit_access, __ATOMIC_RELEASE);
}

/* The frame of the domain's first grant entries. */
static int grant_frame(struct hv *hv, uint32_t id, xen_pfn_t *mfn,
		       struct error *err)
{
	struct xen_mem_acquire_resource *r = (void *)hv->op;

	memset(r, 0, sizeof(*r));
	r->domid = (domid_t)id;
	r->type = XENMEM_resource_grant_table;
	r->id = XENMEM_resource_grant_table_id_shared;
	r->nr_frames = 1;
	set_xen_guest_handle_raw(r->frame_list, hv->frames);
	if (xencall2(xc_interface_xcall_handle(hv->xc), __HYPERVISOR_memory_op,
		     XENMEM_acquire_resource, (uintptr_t)r) < 0)
		return hv_fail(err, "the frame of the domain's grant table");
	*mfn = hv->frames[0];
	return 0;
}

int hv_grants_seed(struct hv *hv, uint32_t id, uint64_t console_frame,
		   uint64_t store_frame, struct error *err)
{
	struct grant_entry_v1 *entries;
	xen_pfn_t mfn;
	int bad;

	if (grant_frame(hv, id, &mfn, err))
		return -1;
	entries = xenforeignmemory_map(hv->memory, id, PROT_READ | PROT_WRITE,
				       1, &mfn, &bad);
	if (!entries)
		return hv_fail(err, "mapping the domain's grant table");
	seed(&entries[GNTTAB_RESERVED_CONSOLE], console_frame);
	seed(&entries[GNTTAB_RESERVED_XENSTORE], store_frame);
	xenforeignmemory_unmap(hv->memory, entries, 1);
	return 0;
}

/* Our hypervisor starts with that; on others it is the builder's to do. */
int hv_events_mask(struct hv *hv, uint32_t id, uint64_t shared_info_mfn,
		   struct error *err)
{
	shared_info_t *info;
	int bad;

	if (hv->own)
		return 0;
	info = xenforeignmemory_map(hv->memory, id, PROT_READ | PROT_WRITE, 1,
				    &shared_info_mfn, &bad);
	if (!info)
		return hv_fail(err, "the domain's shared info");
	for (unsigned int i = 0; i < XEN_LEGACY_MAX_VCPUS; i++)
		info->vcpu_info[i].evtchn_upcall_mask = 1;
	xenforeignmemory_unmap(hv->memory, info, 1);
	return 0;
}

int hv_tables_pin(struct hv *hv, uint32_t id, uint64_t l4_mfn,
		  struct error *err)
{
	struct mmuext_op op = { .cmd = MMUEXT_PIN_L4_TABLE,
				.arg1.mfn = l4_mfn };

	if (xc_mmuext_op(hv->xc, &op, 1, id))
		return hv_fail(err, "the domain's page tables");
	return 0;
}

/* Selectors of flat ring 3 segments, part of the guest ABI. */
#define GUEST_CS FLAT_KERNEL_CS
#define GUEST_SS FLAT_KERNEL_SS
/* Interrupts off: no event before the kernel asks for them. */
#define RFLAGS_START 0x2

int hv_vcpu_set_start(struct hv *hv, uint32_t id, const struct hv_start *start,
		      struct error *err)
{
	vcpu_guest_context_any_t any;
	vcpu_guest_context_t *c = &any.c;

	memset(&any, 0, sizeof(any));
	c->flags = VGCF_in_kernel | VGCF_online;
	c->user_regs.rip = start->entry;
	c->user_regs.rsp = start->stack_end;
	c->user_regs.rsi = start->start_info;
	c->user_regs.rflags = RFLAGS_START;
	c->user_regs.cs = GUEST_CS;
	c->user_regs.ss = GUEST_SS;
	c->kernel_ss = GUEST_SS;
	c->kernel_sp = start->stack_end;
	c->ctrlreg[3] = xen_pfn_to_cr3(start->l4_mfn);
	if (xc_vcpu_setcontext(hv->xc, id, 0, &any))
		return hv_fail(err, "the domain's first vCPU");
	return 0;
}
