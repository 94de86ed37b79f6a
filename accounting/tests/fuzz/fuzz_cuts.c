// SPDX-License-Identifier: Apache-2.0
/* Any tariff, any two readings, any cuts: what is accepted is within bounds,
 * the parts sum to the whole, and so do their amounts. */
#include <stdlib.h>
#include <string.h>

#include "rating.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	struct acct_tariff tariff;
	uint32_t meter;
	struct acct_reading last, now;
	int64_t cuts[4];
};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void check(bool good)
{
	if (!good)
		abort();
}

/* An amount may be too large; then so is the sum of the parts or one of them.
 * Returns false then. */
static bool add_part(struct input *in, const struct acct_usage *part,
		     const struct acct_price *price, acct_u128 *carry,
		     acct_u128 *amount)
{
	struct acct_charge charge;
	struct acct_error err;

	check(!acct_usage_wrong(in->meter, part));
	if (acct_rate(in->meter, part, price, *carry, &charge, &err)) {
		check(err.code == ACCT_OVERFLOW);
		return false;
	}
	*carry = charge.carry_out;
	*amount += (uint64_t)charge.amount_micro;
	return true;
}

static void cut(struct input *in, const struct acct_usage *whole)
{
	const struct acct_price *price = &in->tariff.prices[in->meter];
	acct_u128 first = acct_first_carry(in->meter, price), carry = first;
	acct_u128 used = 0, amount = 0;
	struct acct_window w = { 0, 0 };
	struct acct_charge charge;
	struct acct_usage part;
	struct acct_error err;
	bool fits = true;

	qsort(in->cuts, 4, sizeof(in->cuts[0]), compare);
	for (unsigned int i = 0; i <= 4; i++) {
		w.to_ns = i < 4 ? in->cuts[i] : ACCT_TIME_MAX;
		if (w.to_ns < w.from_ns)
			continue;
		if (acct_usage_clip(in->meter, whole, &w, &part)) {
			used += acct_usage_quantity(in->meter, &part);
			fits = fits &&
			       add_part(in, &part, price, &carry, &amount);
		}
		w.from_ns = w.to_ns;
	}
	check(used == acct_usage_quantity(in->meter, whole));
	if (acct_rate(in->meter, whole, price, first, &charge, &err)) {
		check(err.code == ACCT_OVERFLOW);
		check(!fits || amount > INT64_MAX);
		return;
	}
	check(fits && amount == (uint64_t)charge.amount_micro &&
	      carry == charge.carry_out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct acct_usage whole;
	struct acct_error err;
	struct input in = { 0 };
	uint8_t hash[ACCT_HASH_BYTES];

	memcpy(&in, data, size < sizeof(in) ? size : sizeof(in));
	in.tariff.name[ACCT_ID_MAX] = '\0';
	in.tariff.currency[ACCT_CURRENCY_TEXT - 1] = '\0';
	if (acct_tariff_check(&in.tariff, &err)) {
		check(err.code == ACCT_INVALID);
		/* Names are random often enough; go on with a good one. */
		strcpy(in.tariff.name, "x");
		strcpy(in.tariff.currency, "EUR");
		in.tariff.version |= 1;
		in.tariff.effective_from_ns &= INT64_MAX;
		in.tariff.prices[0] = (struct acct_price){ 0 };
		if (acct_tariff_check(&in.tariff, &err))
			return 0;
	}
	acct_tariff_hash(&in.tariff, hash);
	in.last.at_ns &= INT64_MAX;
	in.last.value &= INT64_MAX;
	in.meter %= ACCT_METERS + 1;
	if (acct_usage_between(in.meter, &in.last, &in.now, &whole, &err)) {
		check(err.code == ACCT_INVALID);
		return 0;
	}
	/* The moment at the end of time is in no window. */
	if (whole.start_ns < ACCT_TIME_MAX)
		cut(&in, &whole);
	return 0;
}
