/* SPDX-License-Identifier: Apache-2.0 */
/* Error numbers: equal to the guest ABI's, so a hypercall returns what the
 * room returned, negated. */
#ifndef HV_ERRNO_H
#define HV_ERRNO_H

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EIO 5
#define E2BIG 7
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define ENOSPC 28
#define EROFS 30
#define EDOM 33
#define ERANGE 34
#define ENOSYS 38
#define ENODATA 61
#define EOVERFLOW 75
#define EOPNOTSUPP 95

/* Never leaves the hypervisor: the call must be restarted by the guest
 * re-executing its SYSCALL (see hv/hypercall.h). */
#define ERESTART 512

/* Nor does this: the call replaced the vCPU's registers, RAX too. Only with
 * CPU_WORK_RESCHED set, which makes the entry code look. */
#define ENORETURN 513

#endif
