/* SPDX-License-Identifier: Apache-2.0 */
/* Where every frame of the machine is: a slow count for people and tests. */
#include <hv/log.h>
#include <hv/mm.h>

void frames_print(void)
{
	u64 guests = 0, ours = 0, nobody = 0, unused;

	for (u64 mfn = 0; mfn < frame_max_mfn; mfn++) {
		const struct frame *f = &frame_table[mfn];

		if (!(f->flags & FRAME_FLAG_RAM))
			continue;
		if (f->owner_id == OWNER_HV)
			ours++;
		else if (f->owner_id == OWNER_NONE)
			nobody++;
		else
			guests++;
	}
	/* Nobody's: the free ones, the image, early tables and, until they
	 * are given back, the boot modules. */
	unused = frame_free_count();
	log_info(
		"frames total=%lu free=%lu domains=%lu hypervisor=%lu lost=%ld",
		(unsigned long)frame_total_count(), (unsigned long)unused,
		(unsigned long)guests, (unsigned long)ours,
		(long)(frame_total_count() - unused - guests - ours));
	log_info("frames outside the allocator (image, early tables)=%lu",
		 (unsigned long)(nobody - unused));
}
