/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of XML, read by tables of what its elements mean. */
#ifndef LIBVIRT_TREE_H
#define LIBVIRT_TREE_H

#include <libxml/tree.h>
#include <stdbool.h>

#include "libvirt/domain_xml.h"

#define XS_NAMESPACE "urn:xenoserver:domain:1.0"
#define XS_PATH "/domain/metadata/xs:xenoserver"
/* Where libvirt's users look for kernels. */
#define KERNEL_FOLDER "/boot"
/* What an interface is said to be on, and a disk in. */
#define BRIDGE "xenoserver"
#define POOL "xenoserver"
/* One of which every cap can be told exactly. */
#define CPU_PERIOD_US 100000U

struct disk_extra {
	xmlNode *node;
	char device[16], image[SPEC_FILE_MAX];
	uint64_t size_bytes;
	bool used;
};

struct reading {
	struct domain_import *out;
	struct violations *v;
	/* Of cputune; 0: not given. */
	uint64_t period_us, quota_us;
	xmlNode *current; /* currentMemory; NULL: not given */
	uint64_t current_bytes;
	unsigned int extra_count;
	struct disk_extra extras[CONFIG_DISKS_MAX];
	/* Of disks: what names a volume, in what pool. NULL: nothing. */
	xmlNode *volumes[CONFIG_DISKS_MAX], *pools[CONFIG_DISKS_MAX];
	/* The device that is being read. */
	struct disk_spec *disk;
	struct nic_spec *nic;
};

struct element {
	const char *name;
	/* NULL: it says what is so anyway. */
	void (*read)(struct reading *r, xmlNode *node);
	const char *attributes; /* those that count, with blanks between */
	bool many;              /* may come more than once */
};

/* The document, for xmlFreeDoc(); NULL: it is no XML that is accepted. */
xmlDoc *tree_parse(const char *text, size_t bytes, struct error *err);

/* All child elements by a table that ends with a name NULL; those of the
 * namespace, or NULL: of none. Others are ignored, and listed. */
void tree_read(struct reading *r, xmlNode *parent, const struct element *table,
	       const char *namespace);

/* Lists an element or attribute. */
void tree_ignore(struct reading *r, const xmlNode *node);
/* The value is the node's text. */
void tree_refuse(struct reading *r, const xmlNode *node, const char *limit);
/* An element that a node does not have. */
void tree_no_such(struct reading *r, xmlNode *node);

/* Without blanks at both ends. false: too long, and refused. */
bool tree_text(struct reading *r, xmlNode *node, char *out, size_t out_bytes);
/* The same of an attribute; "" if it is not there. */
bool tree_attribute(struct reading *r, xmlNode *node, const char *name,
		    char *out, size_t out_bytes);
/* A whole number; false: refused. */
bool tree_number(struct reading *r, xmlNode *node, const char *text,
		 uint64_t *out);
/* The last part of a path, which is listed if its folder is another. */
bool tree_file(struct reading *r, xmlNode *node, const char *path,
	       const char *folder, char *out, size_t out_bytes);

/* library.c: before libxml2 is asked for anything; any thread, any number of
 * times. */
void library_begin(void);

/* read_devices.c */
void read_devices(struct reading *r, xmlNode *node);

#endif
