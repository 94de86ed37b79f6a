// SPDX-License-Identifier: Apache-2.0
/* From libvirt's XML to a specification: the domain itself; see domain_xml.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvirt/tree.h"

#define CPU_PERIOD_LEAST_US 1000
#define CPU_PERIOD_MOST_US 1000000

static struct domain_spec *spec_of(struct reading *r)
{
	return &r->out->spec;
}

static void read_name(struct reading *r, xmlNode *node)
{
	tree_text(r, node, spec_of(r)->name, sizeof(spec_of(r)->name));
}

/* libvirt's units: with i, or alone, powers of 1024. */
static bool unit_bytes(const char *unit, uint64_t *out)
{
	static const char letters[] = "KMGTPE";
	const char *letter;
	uint64_t step;

	*out = 1;
	if (strcmp(unit, "b") == 0 || strcmp(unit, "bytes") == 0)
		return true;
	if (!*unit)
		unit = "KiB";
	letter = strchr(letters, *unit == 'k' ? 'K' : *unit);
	if (!letter)
		return false;
	if (!unit[1] || strcmp(unit + 1, "iB") == 0)
		step = 1024;
	else if (strcmp(unit + 1, "B") == 0)
		step = 1000;
	else
		return false;
	for (const char *p = letters; p <= letter; p++)
		*out *= step;
	return true;
}

static bool read_bytes(struct reading *r, xmlNode *node, uint64_t *out)
{
	char text[32], unit[16];
	uint64_t factor;

	if (!tree_text(r, node, text, sizeof(text)) ||
	    !tree_attribute(r, node, "unit", unit, sizeof(unit)) ||
	    !tree_number(r, node, text, out))
		return false;
	if (!unit_bytes(unit, &factor)) {
		tree_refuse(r, node, "in one of libvirt's units");
		return false;
	}
	if (*out > SPEC_MEMORY_MOST / factor) {
		tree_refuse(r, node, "up to 4 TiB");
		return false;
	}
	*out = (*out * factor + 4095) & ~UINT64_C(4095);
	return true;
}

static void read_memory(struct reading *r, xmlNode *node)
{
	uint64_t bytes;

	if (read_bytes(r, node, &bytes))
		spec_of(r)->memory_bytes = bytes;
}

/* A domain has all its memory from its start. */
static void read_current_memory(struct reading *r, xmlNode *node)
{
	if (read_bytes(r, node, &r->current_bytes))
		r->current = node;
}

static void read_vcpus(struct reading *r, xmlNode *node)
{
	uint64_t count, current;
	char text[16];

	if (!tree_text(r, node, text, sizeof(text)) ||
	    !tree_number(r, node, text, &count))
		return;
	spec_of(r)->vcpus = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
	if (tree_attribute(r, node, "current", text, sizeof(text)) && *text &&
	    tree_number(r, node, text, &current) && current != count)
		tree_ignore(r, (xmlNode *)xmlHasProp(node, BAD_CAST "current"));
}

static void read_os_type(struct reading *r, xmlNode *node)
{
	char text[16];

	if (tree_text(r, node, text, sizeof(text)) &&
	    strcmp(text, "linux") != 0 && strcmp(text, "xen") != 0)
		tree_refuse(r, node, "linux or xen: a paravirtual kernel");
	if (tree_attribute(r, node, "arch", text, sizeof(text)) && *text &&
	    strcmp(text, "x86_64") != 0)
		tree_refuse(r, (xmlNode *)xmlHasProp(node, BAD_CAST "arch"),
			    "x86_64");
	if (tree_attribute(r, node, "machine", text, sizeof(text)) && *text &&
	    strcmp(text, "xenpv") != 0)
		tree_refuse(r, (xmlNode *)xmlHasProp(node, BAD_CAST "machine"),
			    "xenpv");
}

static void read_kernel(struct reading *r, xmlNode *node)
{
	char path[CONFIG_PATH_MAX];

	if (tree_text(r, node, path, sizeof(path)))
		tree_file(r, node, path, KERNEL_FOLDER, spec_of(r)->kernel,
			  sizeof(spec_of(r)->kernel));
}

static void read_ramdisk(struct reading *r, xmlNode *node)
{
	char path[CONFIG_PATH_MAX];

	if (tree_text(r, node, path, sizeof(path)))
		tree_file(r, node, path, KERNEL_FOLDER, spec_of(r)->ramdisk,
			  sizeof(spec_of(r)->ramdisk));
}

/* With the blanks that it has. */
static void read_command(struct reading *r, xmlNode *node)
{
	struct domain_spec *s = spec_of(r);
	xmlChar *text = xmlNodeGetContent(node);

	if (text && strlen((const char *)text) >= sizeof(s->command))
		tree_refuse(r, node, "up to 1023 bytes");
	else if (text)
		snprintf(s->command, sizeof(s->command), "%s",
			 (const char *)text);
	xmlFree(text);
}

static const struct element os_elements[] = {
	{ "type", read_os_type, "arch machine", false },
	{ "kernel", read_kernel, "", false },
	{ "initrd", read_ramdisk, "", false },
	{ "cmdline", read_command, "", false },
	{ "loader", tree_no_such, "", false },
	{ NULL, NULL, NULL, false },
};

static void read_os(struct reading *r, xmlNode *node)
{
	tree_read(r, node, os_elements, NULL);
	for (xmlNode *n = node->children; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE && !n->ns &&
		    strcmp((const char *)n->name, "type") == 0)
			return;
	violation_add(r->v, "missing", "given", "/domain/os/type");
}

/* An empty one means that of the machine; then there is a kernel, too, or it is
 * missing. */
static void read_bootloader(struct reading *r, xmlNode *node)
{
	char text[CONFIG_PATH_MAX];

	if (tree_text(r, node, text, sizeof(text)) && *text)
		tree_refuse(r, node, "left out: a kernel is named instead");
}

static void read_end(struct reading *r, xmlNode *node, enum end_action *out)
{
	char text[24];

	if (tree_text(r, node, text, sizeof(text)) &&
	    !end_action_parse(out, text))
		tree_refuse(r, node, "destroy, restart or preserve");
}

static void read_on_poweroff(struct reading *r, xmlNode *node)
{
	read_end(r, node, &spec_of(r)->on_poweroff);
}

static void read_on_reboot(struct reading *r, xmlNode *node)
{
	read_end(r, node, &spec_of(r)->on_reboot);
}

static void read_on_crash(struct reading *r, xmlNode *node)
{
	read_end(r, node, &spec_of(r)->on_crash);
}

static void read_clock(struct reading *r, xmlNode *node)
{
	char text[24];

	if (tree_attribute(r, node, "offset", text, sizeof(text)) && *text &&
	    strcmp(text, "utc") != 0)
		tree_ignore(r, (xmlNode *)xmlHasProp(node, BAD_CAST "offset"));
	for (xmlNode *n = node->children; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE)
			tree_ignore(r, n);
}

static void read_period(struct reading *r, xmlNode *node)
{
	char text[24];

	if (!tree_text(r, node, text, sizeof(text)) ||
	    !tree_number(r, node, text, &r->period_us))
		return;
	if (r->period_us >= CPU_PERIOD_LEAST_US &&
	    r->period_us <= CPU_PERIOD_MOST_US)
		return;
	tree_refuse(r, node, "1000 to 1000000");
	r->period_us = 0;
}

/* -1 and 0: no cap. */
static void read_quota(struct reading *r, xmlNode *node)
{
	char text[24];

	if (!tree_text(r, node, text, sizeof(text)) || strcmp(text, "-1") == 0)
		return;
	if (tree_number(r, node, text, &r->quota_us) &&
	    r->quota_us > (uint64_t)CPU_PERIOD_MOST_US * 1000) {
		tree_refuse(r, node, "a share of the period");
		r->quota_us = 0;
	}
}

static const struct element cputune_elements[] = {
	{ "period", read_period, "", false },
	{ "quota", read_quota, "", false },
	{ NULL, NULL, NULL, false },
};

static void read_cputune(struct reading *r, xmlNode *node)
{
	tree_read(r, node, cputune_elements, NULL);
}

static void read_extra_cpu(struct reading *r, xmlNode *node)
{
	uint64_t number;
	char text[24];

	if (tree_attribute(r, node, "reservation_permille", text,
			   sizeof(text)) &&
	    *text && tree_number(r, node, text, &number))
		spec_of(r)->cpu_reservation_permille =
			number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

static void read_extra_disk(struct reading *r, xmlNode *node)
{
	struct disk_extra *x = &r->extras[r->extra_count];
	char text[24];

	if (r->extra_count == CONFIG_DISKS_MAX) {
		tree_refuse(r, node, "one of at most 16");
		return;
	}
	*x = (struct disk_extra){ .node = node };
	if (tree_attribute(r, node, "device", x->device, sizeof(x->device)) &&
	    tree_attribute(r, node, "image", x->image, sizeof(x->image)) &&
	    tree_attribute(r, node, "size_bytes", text, sizeof(text)) &&
	    tree_number(r, node, text, &x->size_bytes))
		r->extra_count++;
}

static void read_extra_label(struct reading *r, xmlNode *node)
{
	struct domain_spec *s = spec_of(r);
	struct label *l = &s->labels[s->label_count];

	if (s->label_count == SPEC_LABELS_MAX) {
		tree_refuse(r, node, "one of at most 32");
		return;
	}
	if (!tree_attribute(r, node, "key", l->key, sizeof(l->key)) ||
	    !tree_attribute(r, node, "value", l->value, sizeof(l->value)))
		return;
	for (unsigned int i = 0; i < s->label_count; i++)
		if (strcmp(s->labels[i].key, l->key) == 0) {
			tree_refuse(r, node, "each key once");
			return;
		}
	s->label_count++;
}

static const struct element extra_elements[] = {
	{ "cpu", read_extra_cpu, "reservation_permille", false },
	{ "disk", read_extra_disk, "device size_bytes image", true },
	{ "label", read_extra_label, "key value", true },
	{ NULL, NULL, NULL, false },
};

static void read_extras(struct reading *r, xmlNode *node)
{
	struct domain_import *out = r->out;

	if (tree_attribute(r, node, "tenant", out->tenant,
			   sizeof(out->tenant)) &&
	    *out->tenant && !name_valid(out->tenant, TENANT_MAX - 1))
		tree_refuse(r, (xmlNode *)xmlHasProp(node, BAD_CAST "tenant"),
			    "letters, digits, . _ -, the first a letter or "
			    "digit");
	tree_read(r, node, extra_elements, XS_NAMESPACE);
}

static const struct element metadata_elements[] = {
	{ "xenoserver", read_extras, "tenant", false },
	{ NULL, NULL, NULL, false },
};

static void read_metadata(struct reading *r, xmlNode *node)
{
	tree_read(r, node, metadata_elements, XS_NAMESPACE);
}

static const struct element domain_elements[] = {
	{ "name", read_name, "", false },
	{ "memory", read_memory, "unit", false },
	{ "currentMemory", read_current_memory, "unit", false },
	{ "vcpu", read_vcpus, "current placement", false },
	{ "os", read_os, "", false },
	{ "bootloader", read_bootloader, "", false },
	{ "on_poweroff", read_on_poweroff, "", false },
	{ "on_reboot", read_on_reboot, "", false },
	{ "on_crash", read_on_crash, "", false },
	{ "clock", read_clock, "offset", false },
	{ "cputune", read_cputune, "", false },
	{ "metadata", read_metadata, "", false },
	{ "devices", read_devices, "", false },
	{ "launchSecurity", tree_no_such, "", false },
	{ NULL, NULL, NULL, false },
};

/* quota is of one vCPU. */
static void settle_cap(struct reading *r)
{
	struct domain_spec *s = spec_of(r);
	uint64_t period_us = r->period_us ? r->period_us : CPU_PERIOD_US;
	uint64_t cap = r->quota_us * 1000 / period_us;

	if (!r->quota_us)
		return;
	if (s->vcpus <= CONFIG_VCPUS_MAX)
		cap = r->quota_us * s->vcpus * 1000 / period_us;
	/* What is less than a thousandth is still a cap. */
	s->cpu_cap_permille = cap > UINT32_MAX ? UINT32_MAX
			      : cap            ? (uint32_t)cap
					       : 1;
}

static struct disk_extra *extra_of(struct reading *r, const char *device)
{
	for (unsigned int i = 0; i < r->extra_count; i++)
		if (!r->extras[i].used &&
		    strcmp(r->extras[i].device, device) == 0)
			return &r->extras[i];
	return NULL;
}

/* A disk without a size of its own is a volume of the node's pool. */
static bool settle_volume(struct reading *r, unsigned int i)
{
	struct disk_spec *d = &spec_of(r)->disks[i];
	char pool[CONFIG_NAME_MAX];

	return r->volumes[i] && r->pools[i] &&
	       tree_text(r, r->pools[i], pool, sizeof(pool)) &&
	       strcmp(pool, POOL) == 0 &&
	       tree_text(r, r->volumes[i], d->volume, sizeof(d->volume));
}

static void settle_disk(struct reading *r, unsigned int i)
{
	struct disk_spec *d = &spec_of(r)->disks[i];
	struct disk_extra *x = extra_of(r, d->device);

	if (!x && settle_volume(r, i))
		return;
	if (r->pools[i])
		tree_ignore(r, r->pools[i]);
	if (r->volumes[i])
		tree_ignore(r, r->volumes[i]);
	if (!x) {
		violation_add(r->v, "missing", "given, with size_bytes",
			      XS_PATH "/xs:disk[@device='%.15s']", d->device);
		/* Enough is said of its size. */
		d->size_bytes = SPEC_DISK_LEAST;
		return;
	}
	x->used = true;
	d->size_bytes = x->size_bytes;
	if (*x->image && *d->image && strcmp(x->image, d->image) != 0)
		tree_refuse(r, x->node,
			    "of the same image as the disk's source");
	else if (*x->image)
		snprintf(d->image, sizeof(d->image), "%s", x->image);
}

static void settle_disks(struct reading *r)
{
	for (unsigned int i = 0; i < spec_of(r)->disk_count; i++)
		settle_disk(r, i);
	for (unsigned int i = 0; i < r->extra_count; i++)
		if (!r->extras[i].used)
			tree_ignore(r, r->extras[i].node);
}

/* Where in the XML a field of the specification is. */
static void say_where(const struct domain_spec *s, const char *field, char *out,
		      size_t out_bytes)
{
	static const char *const fixed[][2] = {
		{ "/name", "/domain/name" },
		{ "/kernel", "/domain/os/kernel" },
		{ "/ramdisk", "/domain/os/initrd" },
		{ "/command", "/domain/os/cmdline" },
		{ "/memory_bytes", "/domain/memory" },
		{ "/vcpus", "/domain/vcpu" },
		{ "/cpu_reservation_permille",
		  XS_PATH "/xs:cpu/@reservation_permille" },
		{ "/cpu_cap_permille", "/domain/cputune/quota" },
	};
	bool disk = strncmp(field, "/disks/", 7) == 0;
	unsigned long i, j;
	char *part;

	for (size_t k = 0; k < sizeof(fixed) / sizeof(fixed[0]); k++)
		if (strcmp(field, fixed[k][0]) == 0) {
			snprintf(out, out_bytes, "%s", fixed[k][1]);
			return;
		}
	if (!disk && strncmp(field, "/nics/", 6) != 0) {
		snprintf(out, out_bytes, XS_PATH "/xs:label");
		return;
	}
	i = strtoul(field + (disk ? 7 : 6), &part, 10);
	if (strcmp(part, "/size_bytes") == 0)
		snprintf(out, out_bytes,
			 XS_PATH "/xs:disk[@device='%s']/@size_bytes",
			 s->disks[i].device);
	else if (disk)
		snprintf(out, out_bytes, "/domain/devices/disk[%lu]/%s", i + 1,
			 strcmp(part, "/device") == 0 ? "target/@dev"
						      : "source");
	else if (strncmp(part, "/addresses/", 11) == 0) {
		j = strtoul(part + 11, NULL, 10);
		snprintf(out, out_bytes,
			 "/domain/devices/interface[%lu]/ip[%lu]/@address",
			 i + 1, j + 1);
	} else {
		snprintf(out, out_bytes,
			 "/domain/devices/interface[%lu]/mac/@address", i + 1);
	}
}

/* What the model has to say, in the words of the XML. */
static void check(struct reading *r)
{
	struct violations found = { .count = 0 };
	char where[96];

	domain_spec_check(spec_of(r), &found);
	for (unsigned int i = 0; i < found.count; i++) {
		const struct violation *f = &found.list[i];

		say_where(spec_of(r), f->field, where, sizeof(where));
		violation_add(r->v, f->value, f->limit, "%s", where);
	}
}

static void read_domain(struct reading *r, xmlNode *root)
{
	char text[16];

	tree_attribute(r, root, "type", text, sizeof(text));
	if (strcmp(text, "xen") != 0)
		violation_add(r->v, text, "xen", "/domain/@type");
	for (xmlAttr *a = root->properties; a; a = a->next)
		if (a->ns || strcmp((const char *)a->name, "type") != 0)
			tree_ignore(r, (xmlNode *)a);
	tree_read(r, root, domain_elements, NULL);
	if (r->current && r->current_bytes != spec_of(r)->memory_bytes)
		tree_ignore(r, r->current);
	if (!spec_of(r)->memory_bytes)
		violation_add(r->v, "missing", "given", "/domain/memory");
	if (!*spec_of(r)->kernel)
		violation_add(r->v, "missing", "given", "/domain/os/kernel");
}

int domain_xml_read(const char *text, size_t bytes, struct domain_import *out,
		    struct violations *v, struct error *err)
{
	struct reading r = { .out = out, .v = v };
	xmlDoc *doc = tree_parse(text, bytes, err);
	xmlNode *root;

	if (!doc)
		return -1;
	memset(out, 0, sizeof(*out));
	domain_spec_default(&out->spec);
	out->spec.on_crash = END_DESTROY; /* libvirt's default */
	root = xmlDocGetRootElement(doc);
	if (!root || root->ns ||
	    strcmp((const char *)root->name, "domain") != 0) {
		xmlFreeDoc(doc);
		return error_set(err, ERR_INVALID,
				 "its root has to be <domain>");
	}
	read_domain(&r, root);
	settle_cap(&r);
	settle_disks(&r);
	xmlFreeDoc(doc);
	check(&r);
	return 0;
}
