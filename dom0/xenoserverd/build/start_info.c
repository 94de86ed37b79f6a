// SPDX-License-Identifier: Apache-2.0
/* See start_info.h. */
#include "build/start_info.h"

#include <string.h>

#include <xen/xen.h>

#define MAGIC "xen-3.0-x86_64"

int start_info_fill(void *page, const struct start_facts *f, struct error *err)
{
	const struct guest_layout *l = f->layout;
	struct start_info *si = page;
	size_t length = strlen(f->command_line);

	if (length >= sizeof(si->cmd_line))
		return error_set(
			err, ERR_INVALID,
			"kernel command line of %zu bytes: at most %zu", length,
			sizeof(si->cmd_line) - 1);
	memcpy(si->cmd_line, f->command_line, length);
	memcpy(si->magic, MAGIC, sizeof(MAGIC));
	si->nr_pages = f->nr_pages;
	si->shared_info = f->shared_info_mfn << PAGE_SHIFT;
	si->store_mfn = f->p2m[l->store_pfn];
	si->store_evtchn = f->store_port;
	si->console.domU.mfn = f->p2m[l->console_pfn];
	si->console.domU.evtchn = f->console_port;
	si->pt_base = layout_va(l, l->pt_base_pfn);
	si->nr_pt_frames = l->pt_pages;
	si->mfn_list = l->p2m_va;
	if (l->initrd_pages) {
		si->mod_len = f->initrd_bytes;
		si->mod_start = l->initrd_mapped ? layout_va(l, l->initrd_pfn)
						 : l->initrd_pfn;
	}
	if (!l->initrd_mapped)
		si->flags |= SIF_MOD_START_PFN;
	if (!l->p2m_mapped) {
		si->first_p2m_pfn = l->p2m_pfn;
		si->nr_p2m_frames = l->p2m_pages;
	}
	return 0;
}
