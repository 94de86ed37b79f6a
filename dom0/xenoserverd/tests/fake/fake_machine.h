/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine of files: a folder is its world, and outlives the process as
 * domains outlive the daemon. Files of the folder are switches: while
 * "stall-before" is there, a start waits before it does anything, and while
 * "stall-after" is there, when it has done it; "stalled" says that it does.
 * "stall-halt", "stall-halted", "stall-destroy" and "stall-destroyed" do the
 * same before and after a domain is halted and destroyed.
 *
 * HANDLE.meters has what a domain has used, in lines "cpu NUMBER NS", "vbd
 * NUMBER READS BYTES WRITES BYTES", "vif NUMBER SENT RECEIVED"; "clock", if it
 * is there, has the machine's time in ns, and "boot" the name of its life.
 *
 * Kernels have their ways: "bad" cannot be built, "crasher" crashes at once,
 * "deaf" does not react when it is asked to end. There is no image "missing".
 */
#ifndef TESTS_FAKE_MACHINE_H
#define TESTS_FAKE_MACHINE_H

#include "orchestrate/machine.h"

#define FAKE_MEMORY_BYTES (4ULL << 30)
#define FAKE_CPUS 4
#define FAKE_POOL_BYTES (10ULL << 30)

void fake_machine_open(struct machine *m, const char *folder);
/* As if the guest had done it by itself. */
int fake_machine_end(struct machine *m, const char *handle,
		     enum machine_state how);
/* Whether the file is in the world: "dom_1.domain", "dom_1.xvda.volume". */
bool fake_machine_has(const struct machine *m, const char *name);
/* Makes a file, or removes it. */
void fake_machine_switch(const struct machine *m, const char *name, bool on);
/* The weight that a domain has, or 0. */
uint32_t fake_machine_weight(struct machine *m, const char *handle);

#endif
