// SPDX-License-Identifier: Apache-2.0
/* From a domain to libvirt's XML; see domain_xml.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "libvirt/tree.h"

static void add_escaped(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			strbuf_add(out, "&amp;");
			break;
		case '<':
			strbuf_add(out, "&lt;");
			break;
		case '>':
			strbuf_add(out, "&gt;");
			break;
		case '\'':
			strbuf_add(out, "&apos;");
			break;
		default:
			strbuf_add_bytes(out, text, 1);
			break;
		}
}

static void add_attribute(struct strbuf *out, const char *name,
			  const char *value)
{
	strbuf_add(out, " %s='", name);
	add_escaped(out, value);
	strbuf_add(out, "'");
}

static void add_text(struct strbuf *out, int indent, const char *name,
		     const char *folder, const char *value)
{
	if (!*value)
		return;
	strbuf_add(out, "%*s<%s>%s", indent, "", name, folder);
	add_escaped(out, value);
	strbuf_add(out, "</%s>\n", name);
}

void domain_xml_uuid(char out[XML_UUID_BYTES], const char *id)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	const char *tail = strchr(id, '_');
	uint64_t high = 0, low = 0;

	for (tail = tail ? tail + 1 : id; *tail; tail++) {
		const char *digit = strchr(digits, *tail);

		high = high << 5 | low >> 59;
		low = low << 5 | (digit ? (uint64_t)(digit - digits) : 0);
	}
	snprintf(out, XML_UUID_BYTES,
		 "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64
		 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
		 low & 0xffffffffffff);
}

static void add_metadata(struct strbuf *out, const struct domain *d)
{
	const struct domain_spec *s = &d->spec;

	strbuf_add(out,
		   "  <metadata>\n    <xs:xenoserver xmlns:xs='" XS_NAMESPACE
		   "'");
	add_attribute(out, "tenant", d->tenant);
	strbuf_add(out, ">\n      <xs:cpu reservation_permille='%u'/>\n",
		   s->cpu_reservation_permille);
	for (unsigned int i = 0; i < s->disk_count; i++) {
		if (*s->disks[i].volume)
			continue;
		strbuf_add(out,
			   "      <xs:disk device='%s' size_bytes='%" PRIu64
			   "'",
			   s->disks[i].device, s->disks[i].size_bytes);
		if (*s->disks[i].image)
			add_attribute(out, "image", s->disks[i].image);
		strbuf_add(out, "/>\n");
	}
	for (unsigned int i = 0; i < s->label_count; i++) {
		strbuf_add(out, "      <xs:label");
		add_attribute(out, "key", s->labels[i].key);
		add_attribute(out, "value", s->labels[i].value);
		strbuf_add(out, "/>\n");
	}
	strbuf_add(out, "    </xs:xenoserver>\n  </metadata>\n");
}

/* Of one vCPU, and rounded up, so that nothing of the cap is lost on its way
 * back. */
static void add_cap(struct strbuf *out, const struct domain_spec *s)
{
	uint64_t all = (uint64_t)s->cpu_cap_permille * CPU_PERIOD_US;
	uint64_t per_vcpu = 1000ULL * s->vcpus;

	if (!s->cpu_cap_permille)
		return;
	strbuf_add(out,
		   "  <cputune>\n    <period>%u</period>\n    <quota>%" PRIu64
		   "</quota>\n  </cputune>\n",
		   CPU_PERIOD_US, (all + per_vcpu - 1) / per_vcpu);
}

static void add_disk(struct strbuf *out, const struct domain *d,
		     const struct disk_spec *disk)
{
	strbuf_add(out,
		   "    <disk type='volume' device='disk'>\n"
		   "      <driver name='phy' type='raw'/>\n"
		   "      <source pool='" POOL "' volume='%s%s%s'/>\n"
		   "      <target dev='%s' bus='xen'/>\n%s    </disk>\n",
		   *disk->volume ? disk->volume : d->id,
		   *disk->volume ? "" : ".", *disk->volume ? "" : disk->device,
		   disk->device, disk->writable ? "" : "      <readonly/>\n");
}

static void add_nic(struct strbuf *out, const struct nic_spec *n)
{
	strbuf_add(out, "    <interface type='bridge'>\n");
	if (*n->mac)
		strbuf_add(out, "      <mac address='%s'/>\n", n->mac);
	strbuf_add(out, "      <source bridge='" BRIDGE "'/>\n");
	for (unsigned int i = 0; i < n->address_count; i++)
		strbuf_add(out, "      <ip address='%s' family='%s'/>\n",
			   n->addresses[i],
			   strchr(n->addresses[i], ':') ? "ipv6" : "ipv4");
	strbuf_add(out, "    </interface>\n");
}

static void add_devices(struct strbuf *out, const struct domain *d)
{
	strbuf_add(out, "  <devices>\n");
	for (unsigned int i = 0; i < d->spec.disk_count; i++)
		add_disk(out, d, &d->spec.disks[i]);
	for (unsigned int i = 0; i < d->spec.nic_count; i++)
		add_nic(out, &d->spec.nics[i]);
	strbuf_add(out, "    <console type='pty'>\n"
			"      <target type='xen' port='0'/>\n"
			"    </console>\n"
			"    <memballoon model='xen'/>\n"
			"  </devices>\n");
}

void domain_xml_write(struct strbuf *out, const struct domain *d)
{
	const struct domain_spec *s = &d->spec;
	char uuid[XML_UUID_BYTES];

	domain_xml_uuid(uuid, d->id);
	strbuf_add(out, "<domain type='xen'");
	if (d->number)
		strbuf_add(out, " id='%lld'", (long long)d->number);
	strbuf_add(out, ">\n  <name>%s</name>\n  <uuid>%s</uuid>\n", s->name,
		   uuid);
	add_metadata(out, d);
	strbuf_add(out,
		   "  <memory unit='KiB'>%" PRIu64 "</memory>\n"
		   "  <vcpu placement='static'>%u</vcpu>\n",
		   s->memory_bytes / 1024, s->vcpus);
	add_cap(out, s);
	strbuf_add(out, "  <os>\n    <type arch='x86_64' machine='xenpv'>linux"
			"</type>\n");
	add_text(out, 4, "kernel", KERNEL_FOLDER "/", s->kernel);
	add_text(out, 4, "initrd", KERNEL_FOLDER "/", s->ramdisk);
	add_text(out, 4, "cmdline", "", s->command);
	strbuf_add(out,
		   "  </os>\n  <clock offset='utc'/>\n"
		   "  <on_poweroff>%s</on_poweroff>\n"
		   "  <on_reboot>%s</on_reboot>\n"
		   "  <on_crash>%s</on_crash>\n",
		   end_action_word(s->on_poweroff),
		   end_action_word(s->on_reboot), end_action_word(s->on_crash));
	add_devices(out, d);
	strbuf_add(out, "</domain>\n");
}
