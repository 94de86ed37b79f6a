/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: does the control hypercall refuse what is no operation of its?
 * Rule:     the envelope's operation, version, size and zero field are checked
 *           in this order, bad pointers are errors, and after an error no byte
 *           of the structure has changed.
 * Source:   include/xeno/abi.h; checklist 39, 40, 41, 48.
 * Expected: refused, each one; skipped on a hypervisor that has no such call.
 */
#include <xeno/node.h>

#include "xt.h"

static union {
	struct xeno_envelope head;
	struct xeno_meters largest;
	u8 bytes[2048];
} arg, before;

static long control(const void *at)
{
	return hypercall(XENO_HYPERVISOR_CONTROL, at);
}

static long envelope(u32 version, u32 op, u32 size, u32 mbz)
{
	long rc;

	memset(&arg, 0xa5, sizeof(arg));
	arg.head = (struct xeno_envelope){ version, op, size, mbz };
	before = arg;
	rc = control(&arg);
	check(!memcmp(arg.bytes, before.bytes, sizeof(arg.bytes)),
	      "op %x version %x size %x: changed after %ld", op, version, size,
	      rc);
	return rc;
}

void test_main(void)
{
	static const u32 sizes[] = {
		0,
		sizeof(struct xeno_cpu_counters),
		sizeof(struct xeno_meters),
		sizeof(struct xeno_domain_meter),
		sizeof(struct xeno_frames),
		sizeof(struct xeno_clock),
	};
	static const u64 pointers[] = { 0,          HV_START,
					HV_END - 8, NONCANONICAL,
					~0UL,       ~15UL };
	struct xeno_envelope *page = alloc_page();
	unsigned int n = 0;

	if (control(NULL) == -XEN_ENOSYS)
		skip("no control hypercall");
	for (unsigned int i = 0; i < ARRAY_SIZE(pointers); i++, n++)
		check_eq(control((void *)pointers[i]), -XEN_EFAULT);
	for (u32 op = 0; op < 128; op++) {
		u32 size = op < ARRAY_SIZE(sizes) ? sizes[op] : 0;

		/* Those of other rooms have guests of their own. */
		if (op >= XENO_OP_DOMAIN_INFO && op <= XENO_OP_RULES_COUNTERS) {
			check(envelope(0, op, 64, 0) < 0, "operation %u", op);
			check(envelope(~0U, op, 64, 0) < 0, "operation %u", op);
			n += 2;
			continue;
		}

		if (!size) {
			check_eq(envelope(1, op, 64, 0), -XEN_ENOSYS);
			check_eq(envelope(1, op | 1U << 31, 64, 0),
				 -XEN_ENOSYS);
			n += 2;
			continue;
		}
		check_eq(envelope(0, op, size, 0), -XEN_EINVAL);
		check_eq(envelope(2, op, size, 0), -XEN_EINVAL);
		check_eq(envelope(~0U, op, size, 0), -XEN_EINVAL);
		check_eq(envelope(1, op, size - 1, 0), -XEN_EINVAL);
		check_eq(envelope(1, op, size + 1, 0), -XEN_EINVAL);
		check_eq(envelope(1, op, ~0U, 0), -XEN_EINVAL);
		check_eq(envelope(1, op, size, 1), -XEN_EINVAL);
		n += 7;
		/* A good envelope over a nonsensical argument. */
		if (op != XENO_OP_METERS && op != XENO_OP_CLOCK) {
			check_refused(envelope(1, op, size, 0));
			n++;
		}
	}
	/* All is well but for the page, which cannot be written. */
	*page = (struct xeno_envelope){ XENO_METERS_VERSION, XENO_OP_METERS,
					sizeof(struct xeno_meters), 0 };
	check_eq(map_ro(page), 0);
	check_eq(control(page), -XEN_EFAULT);
	pass("%u calls refused", n + 1);
}
