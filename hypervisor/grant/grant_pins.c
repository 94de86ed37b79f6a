/* SPDX-License-Identifier: Apache-2.0 */
/* What a domain's pinned entries hold, for whoever recounts references. */
#include <hv/grant.h>

#include "grant_table.h"

static void visit(const struct grant_active *a, unsigned int n, grant_pin_fn fn,
		  void *ctx)
{
	for (unsigned int i = 0; i < n; i++)
		if (a[i].readers || a[i].writers)
			fn(ctx, a[i].mfn, a[i].readers, a[i].writers);
}

void grant_for_each_pin(const struct domain *d, grant_pin_fn fn, void *ctx)
{
	const struct grant_table *t = d->grants;

	if (!t)
		return;
	visit(t->first, ACTIVE_INLINE, fn, ctx);
	for (unsigned int i = 0; i < ACTIVE_PAGES; i++)
		if (t->active[i])
			visit(t->active[i], ACTIVE_PER_PAGE, fn, ctx);
}
