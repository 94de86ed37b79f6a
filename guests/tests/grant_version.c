/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: is grant table version 2 refused?
 * Rule:     ours has version 1 only: set_version and get_status_frames give
 *           -ENOSYS or a failing status; the table stays usable.
 * Source:   checklist 30, guest-abi.md 3.2.
 * Expected: version stays 1.
 */
#include "xt.h"

void test_main(void)
{
	struct gnttab_set_version sv = { .version = 2 };
	struct gnttab_get_version gv = { .dom = DOMID_SELF };
	long rc = grant_op(GNTTABOP_set_version, &sv, 1);

	check(rc < 0, "set_version(2) gave %ld", rc);
	if (grant_op(GNTTABOP_get_version, &gv, 1) == 0)
		check(gv.version == 1, "version %u", gv.version);
	pass("set_version gave %ld", rc);
}
