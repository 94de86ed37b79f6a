/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the machine: power off, reboot, halt. */
#ifndef HV_MACHINE_H
#define HV_MACHINE_H

#include <hv/types.h>

struct acpi_info;

enum machine_end { MACHINE_HALT, MACHINE_POWEROFF, MACHINE_REBOOT };

/* What ACPI says about it (NULL: nothing); enum option_reboot. */
void machine_init(const struct acpi_info *acpi, u64 reboot_option);
void machine_end(enum machine_end how) NORETURN;
/* After a panic or boot error: halt, or reboot if the option says so. */
void machine_end_on_error(void) NORETURN;
/* Domain 0 ended with a SHUTDOWN_* code: prints the books, then as asked. */
void machine_end_domain0(u32 shutdown_code) NORETURN;

#endif
