// SPDX-License-Identifier: Apache-2.0
/* Pages of descriptors: what is accepted leads nowhere but ring 3, is stable,
 * and what is refused is left alone. */
#include <string.h>

#include <hv/descriptor.h>
#include <hv/types.h>

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
	for (; size >= 8; bytes += 8, size -= 8) {
		u64 given, desc, again;

		memcpy(&given, bytes, 8);
		desc = given;
		if (descriptor_check(&desc)) {
			if (desc != given || !(given >> 47 & 1))
				__builtin_trap();
			continue;
		}
		again = desc;
		if (descriptor_check(&again) || again != desc)
			__builtin_trap();
		if ((desc >> 47 & 1) &&
		    (!(desc >> 44 & 1) || (desc >> 45 & 3) != 3))
			__builtin_trap();
		/* Base, limit, type and flags are the guest's. */
		if ((desc ^ given) & ~(0x61UL << 40))
			__builtin_trap();
	}
	return 0;
}
