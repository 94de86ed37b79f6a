/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a domain has used, as its meter page tells it (xeno/meter_page.h). CPU
 * time is the meter room's; here are state and devices. Whoever counts for a
 * device lets one CPU at a time write its entry, and drops it before the
 * domain goes.
 */
#ifndef HV_DOMAIN_METER_H
#define HV_DOMAIN_METER_H

#include <hv/domain.h>

#include <xeno/meter_page.h>

/* The domain's state, after it changed. Any CPU, any lock. */
void domain_meter_state(struct domain *d);

/* The entry of VBD number vbd, in use from now on; a VBD of that number that
 * there was before goes on counting in it. NULL: none is free. One caller at a
 * time per domain. */
struct xeno_meter_vbd *domain_meter_vbd_get(struct domain *d, u32 vbd)
	MUST_CHECK;
void domain_meter_vbd_put(struct xeno_meter_vbd *m);
/* The entry of VIF number vif < XENO_VIFS_PER_DOMAIN, likewise. */
struct xeno_meter_vif *domain_meter_vif_get(struct domain *d, u32 vif);
void domain_meter_vif_put(struct xeno_meter_vif *m);

/* Around every change of what belongs together. Stores of one CPU are seen in
 * their order, so only the compiler has to keep it. */
static inline void domain_meter_begin(u32 *sequence)
{
	__atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELAXED);
	barrier();
}

static inline void domain_meter_end(u32 *sequence)
{
	__atomic_store_n(sequence, *sequence + 1, __ATOMIC_RELEASE);
}

#endif
