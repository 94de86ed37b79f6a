// SPDX-License-Identifier: Apache-2.0
/* See tariff.h. */
#include "tariff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The longest text of a version: its head, and a line per meter. */
#define TARIFF_TEXT (200 + ACCT_METERS * 60)

bool acct_id_valid(const char *id)
{
	size_t length = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz"
				   "0123456789._:@/-");

	return length && length <= ACCT_ID_MAX && !id[length];
}

bool acct_currency_valid(const char *currency)
{
	return strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3 &&
	       !currency[3];
}

const char *acct_price_wrong(const struct acct_price *price)
{
	if (price->micro < 0 || price->micro > ACCT_PRICE_MAX)
		return "the price is out of range";
	if (price->per < 0 || price->per > ACCT_PER_MAX)
		return "the quantity it is for is out of range";
	if (!price->per && price->micro)
		return "it is for no quantity";
	return NULL;
}

int acct_tariff_check(const struct acct_tariff *t, struct acct_error *err)
{
	if (!t->version)
		return acct_fail(err, ACCT_INVALID,
				 "a tariff's versions count from 1");
	if (!acct_id_valid(t->name))
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32 ": bad name", t->version);
	if (!acct_currency_valid(t->currency))
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32
				 ": a currency is three capital letters",
				 t->version);
	if (t->effective_from_ns < 0)
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32 ": takes effect before 1970",
				 t->version);
	if (t->prices[0].micro || t->prices[0].per)
		return acct_fail(err, ACCT_INVALID,
				 "tariff %" PRIu32 ": a price for no meter",
				 t->version);
	for (uint32_t m = 1; m < ACCT_METERS; m++) {
		const char *wrong = acct_price_wrong(&t->prices[m]);

		if (wrong)
			return acct_fail(
				err, ACCT_INVALID, "tariff %" PRIu32 ", %s: %s",
				t->version, acct_meter_info(m)->name, wrong);
	}
	return 0;
}

void acct_tariff_hash(const struct acct_tariff *t,
		      uint8_t hash[ACCT_HASH_BYTES])
{
	char text[TARIFF_TEXT];
	int length = snprintf(
		text, sizeof(text),
		"xeno-tariff-1\n%" PRIu32 "\n%s\n%s\n%" PRId64 "\n", t->version,
		t->name, t->currency, t->effective_from_ns);

	for (uint32_t m = 1; m < ACCT_METERS; m++) {
		if (!t->prices[m].per)
			continue;
		length += snprintf(text + length, sizeof(text) - (size_t)length,
				   "%" PRIu32 " %" PRId64 " %" PRId64 "\n", m,
				   t->prices[m].micro, t->prices[m].per);
	}
	acct_sha256(text, (size_t)length, hash);
}
