// SPDX-License-Identifier: Apache-2.0
/*
 * The machine-to-pseudo-physical table: one u64 per machine frame, read-only
 * for every guest. It is a service to guests: the hypervisor never trusts it.
 */
#include <hv/errno.h>
#include <hv/mm.h>

int m2p_update(struct frame_owner *o, u64 mfn, u64 pfn)
{
	struct frame *f = frame_of_mfn(mfn);

	if (!f || !frame_get(f, o->id))
		return -EINVAL;
	m2p_set(mfn, pfn);
	frame_put(f);
	return 0;
}
