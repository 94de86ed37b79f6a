// SPDX-License-Identifier: Apache-2.0
/* The devices of libvirt's XML: disks and interfaces are those of the domain; a
 * console and a balloon every domain has. What a kernel would miss is refused;
 * what is for eyes and ears is ignored. */
#include <stdio.h>
#include <string.h>

#include "libvirt/tree.h"

static xmlNode *attribute_of(xmlNode *node, const char *name)
{
	return (xmlNode *)xmlHasProp(node, BAD_CAST name);
}

/* An attribute that is there has to be one of these. */
static bool one_of(struct reading *r, xmlNode *node, const char *name,
		   const char *const *words, const char *limit)
{
	char text[32];

	if (!tree_attribute(r, node, name, text, sizeof(text)))
		return false;
	if (!*text)
		return true;
	for (; *words; words++)
		if (strcmp(text, *words) == 0)
			return true;
	tree_refuse(r, attribute_of(node, name), limit);
	return false;
}

static void read_driver(struct reading *r, xmlNode *node)
{
	static const char *const types[] = { "raw", "aio", NULL };

	one_of(r, node, "type", types, "raw");
}

/* A file is the image that a disk begins as; whether a volume is one of this
 * node is seen when all is read. */
static void read_source(struct reading *r, xmlNode *node)
{
	size_t index = (size_t)(r->disk - r->out->spec.disks);
	xmlNode *file = attribute_of(node, "file");
	xmlNode *volume = attribute_of(node, "volume");
	xmlNode *pool = attribute_of(node, "pool");
	char path[CONFIG_PATH_MAX];

	r->volumes[index] = volume;
	r->pools[index] = pool;
	if (file && tree_attribute(r, node, "file", path, sizeof(path)))
		tree_file(r, file, path, NULL, r->disk->image,
			  sizeof(r->disk->image));
}

static void read_target(struct reading *r, xmlNode *node)
{
	static const char *const buses[] = { "xen", NULL };

	tree_attribute(r, node, "dev", r->disk->device,
		       sizeof(r->disk->device));
	one_of(r, node, "bus", buses, "xen");
}

static void read_readonly(struct reading *r, xmlNode *node)
{
	(void)node;
	r->disk->writable = false;
}

static const struct element disk_elements[] = {
	{ "driver", read_driver, "name type", false },
	{ "source", read_source, "file pool volume", false },
	{ "target", read_target, "dev bus", false },
	{ "readonly", read_readonly, "", false },
	{ "shareable", tree_no_such, "", false },
	{ "encryption", tree_no_such, "", false },
	{ "backingStore", tree_no_such, "", false },
	{ "mirror", tree_no_such, "", false },
	{ NULL, NULL, NULL, false },
};

static void read_disk(struct reading *r, xmlNode *node)
{
	static const char *const types[] = { "file", "volume", NULL };
	static const char *const devices[] = { "disk", NULL };
	struct domain_spec *s = &r->out->spec;

	if (s->disk_count == CONFIG_DISKS_MAX) {
		tree_refuse(r, node, "one of at most 16");
		return;
	}
	if (!one_of(r, node, "type", types,
		    "file or volume: disks are in the node's pool") ||
	    !one_of(r, node, "device", devices, "disk"))
		return;
	r->disk = &s->disks[s->disk_count++];
	*r->disk = (struct disk_spec){ .writable = true };
	tree_read(r, node, disk_elements, NULL);
}

static void read_mac(struct reading *r, xmlNode *node)
{
	tree_attribute(r, node, "address", r->nic->mac, sizeof(r->nic->mac));
}

static void read_ip(struct reading *r, xmlNode *node)
{
	struct nic_spec *n = r->nic;

	if (n->address_count == CONFIG_ADDRESSES_MAX)
		tree_refuse(r, node, "one of at most 8");
	else if (tree_attribute(r, node, "address",
				n->addresses[n->address_count],
				SPEC_ADDRESS_MAX))
		n->address_count++;
}

/* There is one network. */
static void read_network(struct reading *r, xmlNode *node)
{
	char text[64];

	for (xmlAttr *a = node->properties; a; a = a->next)
		if (strcmp((const char *)a->name, "bridge") != 0)
			tree_ignore(r, (xmlNode *)a);
	if (tree_attribute(r, node, "bridge", text, sizeof(text)) && *text &&
	    strcmp(text, BRIDGE) != 0)
		tree_ignore(r, attribute_of(node, "bridge"));
}

/* A domain's packets have its own addresses, always. */
static void read_filter(struct reading *r, xmlNode *node)
{
	static const char *const filters[] = { "clean-traffic",
					       "no-mac-spoofing",
					       "no-ip-spoofing",
					       "no-arp-spoofing", NULL };

	one_of(r, node, "filter", filters,
	       "clean-traffic, no-mac-spoofing, no-ip-spoofing or "
	       "no-arp-spoofing");
}

static const struct element interface_elements[] = {
	{ "mac", read_mac, "address", false },
	{ "ip", read_ip, "address family", true },
	{ "source", read_network, "bridge network dev", false },
	{ "filterref", read_filter, "filter", false },
	{ "vlan", tree_no_such, "", false },
	{ "virtualport", tree_no_such, "", false },
	{ NULL, NULL, NULL, false },
};

static void read_interface(struct reading *r, xmlNode *node)
{
	static const char *const types[] = { "bridge", "network", "ethernet",
					     NULL };
	struct domain_spec *s = &r->out->spec;

	if (s->nic_count == CONFIG_VIFS_MAX) {
		tree_refuse(r, node, "one of at most 8");
		return;
	}
	if (!one_of(r, node, "type", types, "bridge, network or ethernet"))
		return;
	r->nic = &s->nics[s->nic_count++];
	*r->nic = (struct nic_spec){ .address_count = 0 };
	tree_read(r, node, interface_elements, NULL);
}

/* The first is there anyway, as a pty of the kind xen. */
static void read_console(struct reading *r, xmlNode *node)
{
	for (xmlNode *n = node->children; n; n = n->next) {
		char type[16], port[8];

		if (n->type != XML_ELEMENT_NODE)
			continue;
		if (strcmp((const char *)n->name, "target") == 0 &&
		    tree_attribute(r, n, "type", type, sizeof(type)) &&
		    tree_attribute(r, n, "port", port, sizeof(port)) &&
		    (!*type || strcmp(type, "xen") == 0) &&
		    (!*port || strcmp(port, "0") == 0))
			continue;
		tree_ignore(r, n);
	}
}

static void read_balloon(struct reading *r, xmlNode *node)
{
	char model[16];

	if (tree_attribute(r, node, "model", model, sizeof(model)) &&
	    strcmp(model, "xen") != 0 && strcmp(model, "none") != 0)
		tree_ignore(r, node);
}

static const struct element device_elements[] = {
	{ "disk", read_disk, "type device", true },
	{ "interface", read_interface, "type", true },
	{ "console", read_console, "type", true },
	{ "memballoon", read_balloon, "model", true },
	{ "hostdev", tree_no_such, "", true },
	{ "filesystem", tree_no_such, "", true },
	{ "tpm", tree_no_such, "", true },
	{ "iommu", tree_no_such, "", true },
	{ "shmem", tree_no_such, "", true },
	{ "vsock", tree_no_such, "", true },
	{ "lease", tree_no_such, "", true },
	{ "redirdev", tree_no_such, "", true },
	{ "smartcard", tree_no_such, "", true },
	{ "nvram", tree_no_such, "", true },
	{ "memory", tree_no_such, "", true },
	{ NULL, NULL, NULL, false },
};

void read_devices(struct reading *r, xmlNode *node)
{
	tree_read(r, node, device_elements, NULL);
}
