/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what somebody wants a domain to be to the text of its configuration:
 * names become paths in the operator's folders, and disks become files of the
 * pool. What follows its end is not in it: that is decided elsewhere, so the
 * domain is preserved. Pure.
 */
#ifndef MODEL_SPEC_TEXT_H
#define MODEL_SPEC_TEXT_H

#include "model/domain_spec.h"
#include "util/strbuf.h"

struct spec_folders {
	const char *kernels; /* and ramdisks */
	const char *pool;    /* files HANDLE.DEVICE */
};

/* handle is the domain's name for the machine. */
void spec_text(struct strbuf *out, const char *handle,
	       const struct domain_spec *s, const struct spec_folders *f);

#endif
