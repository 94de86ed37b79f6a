/* SPDX-License-Identifier: Apache-2.0 */
/* For panics: what this CPU was doing, and stopping the machine. */
#ifndef ARCH_BACKTRACE_H
#define ARCH_BACKTRACE_H

#include <hv/types.h>

struct guest_regs;

void print_registers(const struct guest_regs *regs);
/* Symbolised call chain from regs, or from the caller (NULL). */
void backtrace(const struct guest_regs *regs);
void stop_other_cpus(void);
/* An NMI: stops this CPU if another asked for it. */
void nmi_received(void);
/* Tells of the NMIs that nobody asked for. */
void nmi_report(void);
void stop_this_cpu(void) NORETURN;

#endif
