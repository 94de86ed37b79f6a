// SPDX-License-Identifier: Apache-2.0
/* The checks of what devices are given and back ends touch (contract in
 * hv/dma.h). */
#include <hv/dma.h>
#include <hv/frame.h>
#include <hv/log.h>

/* The word of a frame that has references; 0: it has none, or is no memory. */
static u64 reference_of(u64 mfn)
{
	const struct frame *f = frame_of_mfn(mfn);
	u64 ref;

	if (!f || !(READ_ONCE(f->flags) & FRAME_FLAG_RAM))
		return 0;
	ref = __atomic_load_n(&f->ref, __ATOMIC_ACQUIRE);
	return ref & FRAME_COUNT_MASK ? ref : 0;
}

static bool is_writable(u64 ref)
{
	return frame_type(ref) == FRAME_WRITABLE && frame_tcount(ref);
}

static bool device_may(u64 mfn, bool device_writes)
{
	u64 ref = reference_of(mfn);

	if (!ref)
		return false;
	return !device_writes || is_writable(ref) ||
	       READ_ONCE(frame_table[mfn].owner_id) == OWNER_HV;
}

static bool owner_may(u64 mfn, u16 owner_id, bool writes)
{
	u64 ref = reference_of(mfn);

	return ref && READ_ONCE(frame_table[mfn].owner_id) == owner_id &&
	       (!writes || is_writable(ref));
}

void dma_check(u64 maddr, u32 bytes, bool device_writes)
{
	if (!bytes)
		panic("dma: nothing at %lx", (unsigned long)maddr);
	for (u64 mfn = maddr >> PAGE_SHIFT;
	     mfn <= (maddr + bytes - 1) >> PAGE_SHIFT; mfn++)
		if (!device_may(mfn, device_writes))
			panic("dma: a device may not %s frame %lx",
			      device_writes ? "write" : "read",
			      (unsigned long)mfn);
}

void owner_check(u64 maddr, u32 bytes, u16 owner_id, bool writes)
{
	for (u64 mfn = maddr >> PAGE_SHIFT;
	     bytes && mfn <= (maddr + bytes - 1) >> PAGE_SHIFT; mfn++)
		if (!owner_may(mfn, owner_id, writes))
			panic("owner: frame %lx may not be %s for domain %u",
			      (unsigned long)mfn, writes ? "written" : "read",
			      owner_id);
}
