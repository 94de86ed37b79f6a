// SPDX-License-Identifier: Apache-2.0
/* See spec_text.h. */
#include "model/spec_text.h"

#include <inttypes.h>

#include "model/volume.h"

static void add_nic(struct strbuf *out, const struct nic_spec *n)
{
	strbuf_add(out, "vif =");
	if (*n->mac)
		strbuf_add(out, " mac=%s", n->mac);
	for (unsigned int i = 0; i < n->address_count; i++)
		strbuf_add(out, " ip=%s", n->addresses[i]);
	strbuf_add(out, "\n");
}

void spec_text(struct strbuf *out, const char *handle,
	       const struct domain_spec *s, const struct spec_folders *f)
{
	strbuf_add(out, "name = %s\nkernel = %s/%s\n", handle, f->kernels,
		   s->kernel);
	if (*s->ramdisk)
		strbuf_add(out, "ramdisk = %s/%s\n", f->kernels, s->ramdisk);
	strbuf_add(out,
		   "command = %s\nmemory = %" PRIu64
		   "K\nvcpus = %u\nweight = %u\ncap = %u\n",
		   s->command, s->memory_bytes / 1024, s->vcpus,
		   s->cpu_reservation_permille, s->cpu_cap_permille);
	strbuf_add(out, "on_poweroff = preserve\non_reboot = preserve\n"
			"on_crash = preserve\n");
	for (unsigned int i = 0; i < s->disk_count; i++) {
		const struct disk_spec *d = &s->disks[i];

		strbuf_add(out, "disk = %s %c file:%s/%s.%s\n", d->device,
			   d->writable ? 'w' : 'r', f->pool,
			   *d->volume ? d->volume : handle,
			   *d->volume ? VOLUME_DEVICE : d->device);
	}
	for (unsigned int i = 0; i < s->nic_count; i++)
		add_nic(out, &s->nics[i]);
}
