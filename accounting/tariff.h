/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tariff: versions with the date each takes effect, and a price per meter.
 * A price is a whole number of micro-units of the currency for a stated
 * quantity: 36000 for 3600000000000 ns is 0.036 EUR for an hour of a CPU. A
 * version is immutable, in force until the next one takes effect, and never
 * touches what was used before it was published.
 */
#ifndef ACCOUNTING_TARIFF_H
#define ACCOUNTING_TARIFF_H

#include <stddef.h>

#include "error.h"
#include "meters.h"
#include "sha256.h"

#define ACCT_ID_MAX 63
#define ACCT_CURRENCY_TEXT 4 /* ISO 4217: three capital letters */

/* With these bounds no amount is beyond 128 bits on its way; see rating.c. */
#define ACCT_PRICE_MAX INT64_C(10000000000) /* 10,000 units */
#define ACCT_PER_MAX INT64_C(1000000000000000000)

struct acct_price {
	int64_t micro;
	int64_t per; /* of the meter's priced_unit; 0: not charged for */
};

struct acct_tariff {
	uint32_t version; /* 1, 2, 3... without gaps */
	char name[ACCT_ID_MAX + 1];
	char currency[ACCT_CURRENCY_TEXT];
	int64_t effective_from_ns;
	struct acct_price prices[ACCT_METERS]; /* by enum acct_meter */
};

/* An identifier: 1 to ACCT_ID_MAX of A-Z a-z 0-9 . _ : @ / - */
bool acct_id_valid(const char *id);
bool acct_currency_valid(const char *currency);
/* NULL, or why it is no price. */
const char *acct_price_wrong(const struct acct_price *price);

MUST_CHECK int acct_tariff_check(const struct acct_tariff *t,
				 struct acct_error *err);

/* What the ledger keeps of a version, over the text that docs/billing.md
 * gives. */
void acct_tariff_hash(const struct acct_tariff *t,
		      uint8_t hash[ACCT_HASH_BYTES]);

#endif
