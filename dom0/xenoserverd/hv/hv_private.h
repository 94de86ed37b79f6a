/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#ifndef HV_PRIVATE_H
#define HV_PRIVATE_H

#include <xenctrl.h>
#include <xenevtchn.h>
#include <xenforeignmemory.h>
#include <xengnttab.h>

#include <xeno/abi.h>
#include <xeno/domain.h>

#include "hv/hv.h"

struct hv {
	xc_interface *xc;
	xenforeignmemory_handle *memory;
	xenevtchn_handle *events;
	xengnttab_handle *grants;
	bool own;
	bool copies; /* it copies pages into domains for us */
	/* Memory that calls may name: it stays present. */
	union {
		struct xeno_envelope head;
		unsigned char bytes[HV_PAGE_BYTES];
	} * op;           /* the structure of a private operation */
	void *bulk;       /* what it points to */
	uint64_t *frames; /* one page */
};

#define HV_BULK_PAGES 128

/* Fills in the envelope of *arg, performs a private operation and copies the
 * answer back: 0 or -1 with errno. */
int hv_private_call(struct hv *hv, void *arg, uint32_t op, uint32_t version,
		    uint32_t size);

#define HV_CALL(hv, arg, name)                                                 \
	hv_private_call((hv), (arg), XENO_OP_##name, XENO_##name##_VERSION,    \
			sizeof(*(arg)))

/* From errno, with "what: ". */
int hv_fail(struct error *err, const char *what);

#endif
