/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Is the ledger what was written? Walks it from the first row: numbers without
 * gaps, the chain of hashes, each row's own arithmetic, the readings of each
 * source fitting together, prices those of the tariff then in force, tariffs
 * those that were published. Nothing is believed but the rows themselves.
 *
 * Rows cut off from the end leave a chain in order: only somebody who has kept
 * a later number and hash, which every statement carries, can tell. That is the
 * anchor.
 */
#ifndef ACCOUNTING_VERIFY_H
#define ACCOUNTING_VERIFY_H

#include "store.h"

struct acct_verdict {
	bool good;
	uint64_t bad_seq;      /* the first bad row; 0: not a row's fault */
	char what[240];        /* what is wrong with it */
	struct acct_head head; /* of the rows that are good */
	int64_t total_micro;   /* all amounts of these */
};

/* anchor: NULL, or a row and its hash, known from elsewhere. Returns 0 with the
 * verdict, or -1: the store could not be read. */
MUST_CHECK int acct_verify(struct acct_store *store,
			   const struct acct_head *anchor,
			   struct acct_verdict *out, struct acct_error *err);

#endif
