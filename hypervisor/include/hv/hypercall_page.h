/* SPDX-License-Identifier: Apache-2.0 */
/* The page of stubs through which some guests make hypercalls. */
#ifndef HV_HYPERCALL_PAGE_H
#define HV_HYPERCALL_PAGE_H

#include <hv/types.h>

/* Writes all 128 stubs into the page. */
void hypercall_page_fill(u8 *page);

#endif
