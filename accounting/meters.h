/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be metered. Two sorts: a counter only grows, and what was used is
 * the difference of two readings; a level is a size in force from one reading
 * to the next, and what was used is the level times the time.
 *
 * The numbers are in ledgers and on bills, so one never changes its meaning,
 * its unit or its sort; a new meter gets a new number and a row of the table.
 */
#ifndef ACCOUNTING_METERS_H
#define ACCOUNTING_METERS_H

#include <stdbool.h>
#include <stdint.h>

enum acct_meter {
	ACCT_VCPU = 1,       /* ns of CPU */
	ACCT_MEMORY,         /* bytes, a level */
	ACCT_DISK,           /* bytes, a level */
	ACCT_READ_REQUESTS,  /* of disks */
	ACCT_READ_BYTES,     /* of disks */
	ACCT_WRITE_REQUESTS, /* of disks; flushes are requests */
	ACCT_WRITE_BYTES,    /* of disks */
	ACCT_NET_SENT,       /* bytes, as seen from the domain */
	ACCT_NET_RECEIVED,   /* bytes */
};

#define ACCT_METERS 10 /* one more than the last number; 0 is none */

struct acct_meter_info {
	const char *name;
	const char *unit;        /* of a reading */
	const char *used_unit;   /* of what was used */
	const char *priced_unit; /* of the quantity in a price */
	/* This many of used_unit are one priced_unit: levels are used in
	 * byte-ns and priced by byte-seconds. */
	uint32_t scale;
	bool level;
};

/* NULL: no such meter. */
const struct acct_meter_info *acct_meter_info(uint32_t meter);

#endif
