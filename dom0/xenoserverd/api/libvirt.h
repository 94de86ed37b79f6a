/* SPDX-License-Identifier: Apache-2.0 */
/* Domains as libvirt's XML over HTTP. */
#ifndef API_LIBVIRT_H
#define API_LIBVIRT_H

#include "api/json_read.h"

#define XML_TYPE "application/xml"

/* -1: the answer says that the body is no XML. */
int libvirt_read(struct request *r, struct answer *a, struct create_body *out,
		 struct violations *v);
void libvirt_answer(struct answer *a, const struct domain *d);

#endif
