// SPDX-License-Identifier: Apache-2.0
/* What the memory hypercalls want from domain/ and arch/. */
#include "hc_fakes.h"

#include <hv/errno.h>
#include <hv/grant.h>

#include <arch/context.h>

struct domain *fake_other_domain;
unsigned int fake_cr3_loads, fake_ldt_loads;

struct domain *domain_find(u16 domid)
{
	if (domid == DOMID_SELF || domid == current_domain()->id)
		return current_domain();
	if (fake_other_domain && domid == fake_other_domain->id)
		return fake_other_domain;
	return NULL;
}

void vcpu_load_kernel_cr3(struct vcpu *v)
{
	(void)v;
	fake_cr3_loads++;
}

void vcpu_load_ldt(struct vcpu *v)
{
	(void)v;
	fake_ldt_loads++;
}

/* ---- a grant table of two frames ---- */

int grant_setup(struct domain *d, u32 nr_frames)
{
	(void)d;
	return nr_frames > 2 ? -EINVAL : 0;
}

u64 grant_frame_mfn(const struct domain *d, u32 idx)
{
	(void)d;
	return 100 + idx;
}
