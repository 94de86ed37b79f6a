/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the ledger. Rows are numbered from 1 without gaps and never change.
 * Each carries the hash over the hash of the row before it and over all its own
 * fields, in the text that docs/billing.md gives; before the first row stands a
 * hash over the ledger's name and currency.
 */
#ifndef ACCOUNTING_ENTRY_H
#define ACCOUNTING_ENTRY_H

#include "rating.h"

#define ACCT_NOTE_MAX 160

enum acct_kind {
	ACCT_TARIFF = 1, /* a version was published; note: its hash */
	ACCT_OPEN,       /* a source begins with a first reading */
	ACCT_USAGE,      /* what it used, and what that costs */
	ACCT_ADJUSTMENT, /* a credit or a correction; note: why */
};

/* What has readings of its own. Device numbers are the caller's: which vCPU,
 * VBD or VIF. The incarnation grows each time the domain is built anew. */
struct acct_source {
	char domain[ACCT_ID_MAX + 1];
	uint64_t incarnation;
	enum acct_meter meter;
	uint32_t device;
};

/* Fields that a kind does not use are 0 or empty. */
struct acct_entry {
	uint64_t seq;
	enum acct_kind kind;
	char account[ACCT_ID_MAX + 1];
	struct acct_source source;
	struct acct_usage usage; /* others than USAGE: one moment */
	uint32_t tariff;         /* version; 0: none was in force */
	struct acct_price price;
	acct_u128 carry_in, carry_out;
	int64_t amount_micro;
	uint64_t refers_to; /* seq of an earlier row, or 0 */
	char note[ACCT_NOTE_MAX + 1];
	uint8_t hash[ACCT_HASH_BYTES];
};

struct acct_ledger_info {
	char id[ACCT_ID_MAX + 1]; /* which ledger: the node's own name */
	char currency[ACCT_CURRENCY_TEXT];
};

bool acct_source_equal(const struct acct_source *a,
		       const struct acct_source *b);

/* Printable, at most ACCT_NOTE_MAX bytes, not empty. */
bool acct_note_valid(const char *note);

/* NULL, or what is wrong in the row taken by itself, its arithmetic included.
 */
const char *acct_entry_wrong(const struct acct_entry *e);

void acct_genesis_hash(const struct acct_ledger_info *info,
		       uint8_t hash[ACCT_HASH_BYTES]);
void acct_entry_hash(const struct acct_entry *e,
		     const uint8_t previous[ACCT_HASH_BYTES],
		     uint8_t hash[ACCT_HASH_BYTES]);

#endif
