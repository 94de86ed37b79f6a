/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What somebody used in a window, and what that costs. A line is what one
 * source used under one version of the tariff without a break: two readings,
 * the difference or the level times the time, the price, the amount. It stands
 * for all the ledger's rows from its first to its last of that source, and its
 * amount, computed from the line alone, is checked to be the sum of theirs.
 *
 * Rows that reach beyond the window count with the part in it; statements of
 * adjacent windows sum to the ledger's rows exactly.
 */
#ifndef ACCOUNTING_STATEMENT_H
#define ACCOUNTING_STATEMENT_H

#include "store.h"

struct acct_line {
	enum acct_kind kind; /* USAGE or ADJUSTMENT */
	char account[ACCT_ID_MAX + 1];
	struct acct_source source;
	struct acct_usage usage; /* from the first reading to the last */
	acct_u128 used;
	uint32_t tariff;
	struct acct_price price;
	acct_u128 carry_in, carry_out;
	int64_t amount_micro;
	uint64_t first_seq, last_seq, entries;
	uint64_t refers_to; /* of an adjustment */
	char note[ACCT_NOTE_MAX + 1];
};

struct acct_sum {
	acct_u128 used;
	int64_t amount_micro;
};

struct acct_statement {
	struct acct_sum meters[ACCT_METERS]; /* by enum acct_meter */
	int64_t adjustments_micro;
	int64_t total_micro;
	uint64_t lines, entries;
	/* The last row there was then: an anchor for verifying. */
	struct acct_head head;
};

/* Returns 0 to go on, or -1 with err. May not use the store. */
typedef int (*acct_line_seen)(void *context, const struct acct_line *line,
			      struct acct_error *err);

/*
 * Lines come by domain, incarnation, meter, device and time, then adjustments.
 * seen may be NULL: sums only. With last_seq 0 of all rows; with another, of
 * the rows up to that one: the statement that was made when it was the last is
 * made again, the same.
 */
MUST_CHECK int acct_statement(struct acct_store *store,
			      const struct acct_query *query,
			      acct_line_seen seen, void *context,
			      struct acct_statement *out,
			      struct acct_error *err);

#endif
