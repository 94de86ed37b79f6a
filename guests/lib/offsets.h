/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offsets.h - numbers that assembly shares with C; trap.c asserts them.
 */
#ifndef XT_OFFSETS_H
#define XT_OFFSETS_H

#define STACK_BYTES 0x8000
#define CPU_GUARD_SP 16
#define CPU_USER_SP 24
#define REGS_VECTOR 120
#define HYPERCALL_STACK_SWITCH 3
#define HYPERCALL_IRET 23

#endif /* XT_OFFSETS_H */
