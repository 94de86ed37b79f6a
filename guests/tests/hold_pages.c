/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: how long does one entry last for batches of whole pages?
 * Rule:     work on pages is weighed by their size, and cut and continued.
 * Source:   checklist 43.
 * Expected: all of 2000 clears and copies done; the bound is judged from what
 *           a LATENCY=1 build prints.
 */
#include "xt.h"

#define OPS	2000

static struct mmuext_op ops[OPS];

void test_main(void)
{
	u64 a = va_to_mfn(alloc_page()), b = va_to_mfn(alloc_page());
	u32 done = 0;

	for (unsigned int i = 0; i < OPS; i++)
		ops[i] = (struct mmuext_op){ .cmd = MMUEXT_CLEAR_PAGE,
					     .arg1.mfn = a };
	check_eq(mmuext_op(ops, OPS, &done, DOMID_SELF), 0);
	check_eq(done, OPS);
	for (unsigned int i = 0; i < OPS; i++)
		ops[i] = (struct mmuext_op){ .cmd = MMUEXT_COPY_PAGE,
					     .arg1.mfn = a,
					     .arg2.src_mfn = b };
	check_eq(mmuext_op(ops, OPS, &done, DOMID_SELF), 0);
	check_eq(done, OPS);
	pass("%u clears, %u copies", OPS, OPS);
}
