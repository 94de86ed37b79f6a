// SPDX-License-Identifier: Apache-2.0
/* The check of what devices are given (contract in hv/dma.h). */
#include <hv/dma.h>
#include <hv/frame.h>
#include <hv/log.h>

static bool frame_ok(u64 mfn, bool device_writes)
{
	const struct frame *f = frame_of_mfn(mfn);
	u64 ref;

	if (!f || !(READ_ONCE(f->flags) & FRAME_FLAG_RAM))
		return false;
	ref = __atomic_load_n(&f->ref, __ATOMIC_ACQUIRE);
	if (!(ref & FRAME_COUNT_MASK))
		return false;
	if (READ_ONCE(f->owner_id) == OWNER_HV || !device_writes)
		return true;
	return frame_type(ref) == FRAME_WRITABLE && frame_tcount(ref);
}

void dma_check(u64 maddr, u32 bytes, bool device_writes)
{
	if (!bytes)
		panic("dma: nothing at %lx", (unsigned long)maddr);
	for (u64 mfn = maddr >> PAGE_SHIFT;
	     mfn <= (maddr + bytes - 1) >> PAGE_SHIFT; mfn++)
		if (!frame_ok(mfn, device_writes))
			panic("dma: a device may not %s frame %lx",
			      device_writes ? "write" : "read",
			      (unsigned long)mfn);
}
