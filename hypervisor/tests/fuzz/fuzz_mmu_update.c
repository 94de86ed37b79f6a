// SPDX-License-Identifier: Apache-2.0
/* Sequences of operations on frames and tables, recounted after each one: see
 * fake/mm_world.h. */
#include <hv/log.h>
#include <hv/types.h>

#include <arch/host_machine.h>

#include "../fake/mm_world.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	static bool ready;

	if (!ready)
		world_init();
	ready = true;
	world_run(bytes, size);
	return 0;
}
