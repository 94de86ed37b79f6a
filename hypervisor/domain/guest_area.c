/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guest memory that the hypervisor writes at will (runstate): translated once,
 * at registration, and held by writable references, so the frames cannot turn
 * into page tables while we write.
 */
#include <hv/domain.h>
#include <hv/errno.h>
#include <hv/mm.h>
#include <hv/string.h>

int guest_area_map(struct guest_area *a, struct domain *d, u64 va, u16 size)
{
	u64 l4_mfn = current_vcpu()->arch.kernel_cr3 >> PAGE_SHIFT;
	struct frame *first, *second = NULL;
	u64 last = va + size - 1;
	int err;

	if (!size || size > PAGE_SIZE || last < va)
		return -EINVAL;
	err = page_table_get_frame(&d->owner, l4_mfn, va, true, &first);
	if (err)
		return err;
	if ((va ^ last) & PAGE_MASK) {
		err = page_table_get_frame(&d->owner, l4_mfn, last, true,
					   &second);
		if (err) {
			frame_put_writable(first);
			return err;
		}
	}
	guest_area_unmap(a);
	a->frame[0] = first;
	a->frame[1] = second;
	a->offset = (u16)(va & ~PAGE_MASK);
	a->size = size;
	return 0;
}

void guest_area_unmap(struct guest_area *a)
{
	if (!a->size)
		return;
	a->size = 0;
	frame_put_writable(a->frame[0]);
	if (a->frame[1])
		frame_put_writable(a->frame[1]);
	a->frame[0] = a->frame[1] = NULL;
}

void guest_area_write(const struct guest_area *a, u16 offset, const void *data,
		      u16 size)
{
	u64 at = (u64)a->offset + offset, n;

	if (offset + size > a->size)
		return;
	if (at < PAGE_SIZE) {
		n = MIN((u64)size, PAGE_SIZE - at);
		memcpy((u8 *)mfn_to_virt(frame_mfn(a->frame[0])) + at, data, n);
		if (n < size)
			memcpy(mfn_to_virt(frame_mfn(a->frame[1])),
			       (const u8 *)data + n, size - n);
	} else {
		memcpy((u8 *)mfn_to_virt(frame_mfn(a->frame[1])) + at -
			       PAGE_SIZE,
		       data, size);
	}
}

void vcpu_info_release(struct vcpu *v)
{
	struct vcpu_info *info = v->arch.info;

	if (info == &v->domain->shared_info->vcpu_info[v->id])
		return;
	WRITE_ONCE(v->arch.info, &v->domain->shared_info->vcpu_info[v->id]);
	frame_put_writable(frame_of_mfn(virt_to_mfn(info)));
}
