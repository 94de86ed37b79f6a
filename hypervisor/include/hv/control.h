/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Control hypercalls, for Domain 0 only: our own (xeno/abi.h) and the subset
 * of the standard ones (xen/domctl.h, xen/sysctl.h) that its libraries need.
 * One operation runs at a time, so domains neither come nor go during one.
 */
#ifndef HV_CONTROL_H
#define HV_CONTROL_H

#include <hv/types.h>

void control_init(void);

long hc_control(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_domctl(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);
long hc_sysctl(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);

#endif
