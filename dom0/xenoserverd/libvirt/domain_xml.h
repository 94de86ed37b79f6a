/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains as libvirt's XML, type='xen'. What is there on both sides has
 * libvirt's elements; what only a node has, is in the element xenoserver of the
 * namespace urn:xenoserver:domain:1.0 in the metadata:
 *
 *   <xs:xenoserver xmlns:xs='urn:xenoserver:domain:1.0' tenant='acme'>
 *     <xs:cpu reservation_permille='250'/>
 *     <xs:disk device='xvda' size_bytes='1073741824' image='debian'/>
 *     <xs:label key='env' value='prod'/>
 *   </xs:xenoserver>
 *
 * A disk that goes with the domain has its size there, for libvirt's XML has
 * none; another one is a volume of the pool xenoserver. Of the paths of
 * files their last part counts: a name in the operator's folder. What cannot be
 * had is refused, and what does not matter for a domain to be what it is, is
 * ignored and listed. Where libvirt has a default, an element that is not there
 * means it.
 *
 * The text is hostile: no document type, so no entities; nothing is loaded.
 */
#ifndef LIBVIRT_DOMAIN_XML_H
#define LIBVIRT_DOMAIN_XML_H

#include <stddef.h>

#include "model/domain.h"
#include "util/error.h"
#include "util/strbuf.h"

#define XML_PATH_BYTES 128
#define XML_IGNORED_MAX 64
#define XML_UUID_BYTES 37

struct domain_import {
	struct domain_spec spec;
	char tenant[TENANT_MAX]; /* "": not given */
	/* XPath of what has no effect; no more than there is room for. */
	unsigned int ignored_count;
	char ignored[XML_IGNORED_MAX][XML_PATH_BYTES];
};

/* -1: it is no XML. What is wrong with it is added to the violations, whose
 * fields are XPath. */
int domain_xml_read(const char *text, size_t bytes, struct domain_import *out,
		    struct violations *v, struct error *err);

/* Valid by libvirt's schema if the specification has no violations. */
void domain_xml_write(struct strbuf *out, const struct domain *d);

/* The 128 bits of an identifier in libvirt's form. */
void domain_xml_uuid(char out[XML_UUID_BYTES], const char *id);

#endif
