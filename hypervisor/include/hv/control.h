/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control hypercall (xeno/abi.h), for Domain 0 only. One operation runs at
 * a time, so domains neither come nor go during one.
 */
#ifndef HV_CONTROL_H
#define HV_CONTROL_H

#include <hv/types.h>

long hc_control(u64 arg, u64 a2, u64 a3, u64 a4, u64 a5, u64 a6);

#endif
