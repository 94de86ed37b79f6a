/* SPDX-License-Identifier: Apache-2.0 */
/* What only the real domains on a fake machine have (see domains.h). */
#ifndef FAKE_REAL_DOMAINS_H
#define FAKE_REAL_DOMAINS_H

#include <hv/types.h>

/* vCPUs that have their machine part. */
extern unsigned int fake_arch_vcpus;
/* Grace periods up to this one are over. */
extern u64 fake_grace;

#endif
