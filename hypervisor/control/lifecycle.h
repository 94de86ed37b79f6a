/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a domain is taken apart, however far its building got. Called with the
 * control lock held, but for lifecycle_init.
 */
#ifndef LIFECYCLE_H
#define LIFECYCLE_H

#include <hv/domain.h>

/*
 * -ERESTART: *budget is used up, or another CPU must leave the domain first:
 * call again. 0: it is gone, or it is a zombie: nothing of it runs, and what
 * others still hold of it goes when they let go.
 */
int lifecycle_destroy(struct domain *d, int *budget) MUST_CHECK;

/* The domain of that id that lifecycle_destroy may be called for, a gone one
 * included, or NULL. */
struct domain *lifecycle_find(u16 id);

#endif
