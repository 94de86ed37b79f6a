/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: can a domain other than Domain 0 use what is Domain 0's?
 * Rule:     no control hypercall, no console, no clock setting, nobody else's
 *           memory, page tables, ports or grants; refused before anything is
 *           looked at.
 * Source:   xen/domctl.h, include/xeno/abi.h.
 * Expected: -EPERM to each, Domain 0 and the domain go on.
 */
#include <xeno/node.h>

#include "child.h"

static struct child child;
static u64 secret_mfn __attribute__((section(".data")));
static u8 secret[PAGE_SIZE] __attribute__((aligned(4096)));

static void control_calls(void)
{
	struct xen_sysctl sys = { .cmd = XEN_SYSCTL_physinfo };
	struct sched_remote_shutdown end = { .domain_id = 0 };

	for (u32 cmd = 0; cmd < 90; cmd++)
		check_eq(domctl_on(cmd, 0), -XEN_EPERM);
	check_eq(domctl_on(XEN_DOMCTL_getdomaininfo, DOMID_SELF), -XEN_EPERM);
	check_eq(hypercall(__HYPERVISOR_domctl, 0), -XEN_EPERM);
	check_eq(sysctl(&sys), -XEN_EPERM);
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, 0), -XEN_EPERM);
	check_eq(hypercall(__HYPERVISOR_platform_op, 0), -XEN_EPERM);
	check_eq(console_write("x", 1), -XEN_EPERM);
	check_eq(sched_op(SCHEDOP_remote_shutdown, &end), -XEN_EPERM);
}

static void foreign_memory(void)
{
	struct xen_memory_reservation res = { .nr_extents = 1 };
	struct xen_mem_acquire_resource r = {
		.type = XENMEM_resource_grant_table,
		.nr_frames = 1,
	};
	struct mmu_update up = { .ptr = va_to_maddr(pte_of(secret)) };
	struct mmuext_op pin = { .cmd = MMUEXT_PIN_L1_TABLE };
	xen_pfn_t mfn = secret_mfn;
	domid_t zero = 0;

	set_xen_guest_handle(res.extent_start, &mfn);
	set_xen_guest_handle(r.frame_list, &mfn);
	check_eq(memory_op(XENMEM_populate_physmap, &res), -XEN_EPERM);
	check_eq(memory_op(XENMEM_decrease_reservation, &res), -XEN_EPERM);
	check_eq(memory_op(XENMEM_current_reservation, &zero), -XEN_EPERM);
	check_eq(memory_op(XENMEM_acquire_resource, &r), -XEN_EPERM);
	check_eq(memory_op(XENMEM_machine_memory_map, &r), -XEN_EPERM);
	check_eq(map_foreign(secret, 0, mk_pte(secret_mfn, PTE_RO)),
		 -XEN_EPERM);
	up.val = mk_pte(secret_mfn, PTE_RO);
	check_eq(mmu_update(&up, 1, NULL, 0), -XEN_EPERM);
	check_eq(mmu_update(&up, 1, NULL, DOMID_SELF | 1 << 16), -XEN_EPERM);
	check_refused(mmu_update(&up, 1, NULL, DOMID_SELF));
	pin.arg1.mfn = secret_mfn;
	check_eq(mmuext_op(&pin, 1, NULL, 0), -XEN_EPERM);
	/* Its own number is not more than DOMID_SELF. */
	check_refused(
		map_foreign(secret, DOMID_SELF, mk_pte(secret_mfn, PTE_RO)));
}

static void ports_and_grants(void)
{
	struct evtchn_status status = { .dom = 0, .port = 1 };
	struct evtchn_reset reset = { .dom = 0 };
	struct gnttab_query_size size = { .dom = 0 };
	u32 handle;

	check_eq(alloc_unbound(0, 0), -XEN_EPERM);
	check_eq(event_op(EVTCHNOP_status, &status), -XEN_EPERM);
	check_eq(event_op(EVTCHNOP_reset, &reset), -XEN_EPERM);
	check_refused(bind_interdomain(0, 1));
	check_eq(grant_op(GNTTABOP_query_size, &size, 1), 0);
	check_eq(size.status, GNTST_permission_denied);
	for (u32 ref = 0; ref < 16; ref++)
		check(map_grant(ref, (u64)secret, GNTMAP_host_map, &handle) < 0,
		      "mapped grant %u of Domain 0", ref);
}

static void child_main(void)
{
	control_calls();
	foreign_memory();
	ports_and_grants();
	pass("all refused");
}

void test_main(void)
{
	secret_mfn = va_to_mfn(secret);
	grant_table();
	child_build(&child, child_main);
	child_start(&child);
	child_passed(&child);
	check_eq(child_destroy(&child), 0);
	pass("all refused");
}
