/* SPDX-License-Identifier: Apache-2.0 */
/* What the memory hypercalls want from domain/ and arch/. */
#ifndef TESTS_HC_FAKES_H
#define TESTS_HC_FAKES_H

#include <hv/domain.h>

extern struct domain *fake_other_domain; /* the only one domain_find knows */
extern unsigned int fake_cr3_loads, fake_ldt_loads;

#endif
