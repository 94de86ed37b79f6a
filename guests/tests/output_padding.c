/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the structures that hypercalls fill in fully defined?
 * Rule:     padding and unused parts of outputs hold no bytes of the
 *           hypervisor: zero, or the caller's own bytes left alone.
 * Source:   checklist 48.
 * Expected: two calls over different fills give no third value in padding.
 */
#include "xt.h"

static u8 a[4096], b[4096];

/* Bytes that follow neither the fill nor zero must agree in both. */
static void compare(size_t from, size_t to, const char *what)
{
	for (size_t i = from; i < to; i++)
		check((a[i] == 0 && b[i] == 0) ||
			      (a[i] == 0xa5 && b[i] == 0x5a),
		      "%s: byte %lu is %x and %x", what, i, a[i], b[i]);
}

static void twice(int op, void (*call)(int op, void *buf))
{
	memset(a, 0xa5, sizeof(a));
	memset(b, 0x5a, sizeof(b));
	call(op, a);
	call(op, b);
}

static void runstate(int op, void *buf)
{
	check_eq(vcpu_op(op, 0, buf), 0);
}

static void status(int op, void *buf)
{
	struct evtchn_status *s = buf;

	s->dom = DOMID_SELF;
	s->port = 1;
	check_eq(event_op(op, s), 0);
}

static void version(int op, void *buf)
{
	check_eq(xen_version(op, buf), 0);
}

static void machphys(int op, void *buf)
{
	check_eq(memory_op((unsigned int)op, buf), 0);
}

void test_main(void)
{
	check_eq(bind_ipi(0), 1);
	twice(VCPUOP_get_runstate_info, runstate);
	compare(4, 8, "runstate padding");
	compare(48, 4096, "after runstate");
	twice(EVTCHNOP_status, status);
	compare(sizeof(struct evtchn_status), 4096, "after status");
	twice(XENVER_platform_parameters, version);
	compare(8, 4096, "after platform parameters");
	twice(XENVER_guest_handle, version);
	compare(16, 4096, "after guest handle");
	twice(XENMEM_machphys_mapping, machphys);
	compare(sizeof(struct xen_machphys_mapping), 4096, "after machphys");
	pass("5 structures");
}
