/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how much does the hypervisor keep for a domain with one vCPU?
 * Rule:     as little as the 20 kB that the first paravirtualizing hypervisor
 *           needed: five pages; all is on the domain's account.
 * Source:   include/xeno/node.h, XENO_OP_DOMAIN_METER.
 * Expected: at most 20480 bytes in pages of its own; one page more for each
 *           frame of the grant table, when that is asked for.
 */
#include <xeno/node.h>

#include "xt.h"

#define STATE_LIMIT_BYTES 20480

static struct xeno_domain_meter meter(void)
{
	struct xeno_domain_meter m;

	memset(&m, 0xa5, sizeof(m));
	m.head = (struct xeno_envelope){ XENO_DOMAIN_METER_VERSION,
					 XENO_OP_DOMAIN_METER, sizeof(m), 0 };
	m.domain_id = XENO_DOMAIN_SELF;
	m.mbz = 0;
	check_eq(hypercall(XENO_HYPERVISOR_CONTROL, &m), 0);
	return m;
}

void test_main(void)
{
	unsigned long frames[4] = { 0 };
	struct gnttab_setup_table setup = {
		.dom = DOMID_SELF,
		.nr_frames = 4,
	};
	struct xeno_domain_meter first, later;

	if (hypercall(XENO_HYPERVISOR_CONTROL, 0) == -XEN_ENOSYS)
		skip("no control hypercall");
	first = meter();
	check_eq(first.id, 0);
	check_eq(first.vcpu_count, 1);
	check_eq(first.owned_pages, start_info->nr_pages);
	check(first.vcpu_cpu_ns[0] > 0, "no time used");
	check(first.state_pages * 4096 <= STATE_LIMIT_BYTES,
	      "%lu pages of state", first.state_pages);

	set_xen_guest_handle(setup.frame_list, frames);
	check_eq(grant_op(GNTTABOP_setup_table, &setup, 1), 0);
	check_eq(setup.status, GNTST_okay);
	later = meter();
	check_eq(later.state_pages - first.state_pages,
		 later.shared_pages - first.shared_pages);
	check_eq(later.owned_pages, first.owned_pages);
	check(later.vcpu_cpu_ns[0] > first.vcpu_cpu_ns[0], "time stands still");
	pass("%lu pages, %lu bytes; with %lu shared pages %lu bytes",
	     first.state_pages, first.state_bytes, later.shared_pages,
	     later.state_bytes);
}
