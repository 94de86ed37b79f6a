// SPDX-License-Identifier: Apache-2.0
/* See rating.h. */
#include "rating.h"

acct_u128 acct_divisor(enum acct_meter meter, const struct acct_price *price)
{
	return (acct_u128)(uint64_t)price->per * acct_meter_info(meter)->scale;
}

acct_u128 acct_first_carry(enum acct_meter meter,
			   const struct acct_price *price)
{
	return acct_divisor(meter, price) / 2;
}

/*
 * What was used is below 2^126 and its product with a price may be beyond 128
 * bits, so whole divisors of it are set apart first: the rest is below
 * ACCT_PER_MAX * 10^9 = 10^27, its product with a price below 10^37, and 2^128
 * is more than 10^38. What can overflow is only the amount.
 */
int acct_rate_quantity(acct_u128 used, acct_u128 divisor, int64_t price_micro,
		       acct_u128 carry_in, struct acct_charge *out,
		       struct acct_error *err)
{
	acct_u128 rest, amount;

	if (!divisor) {
		*out = (struct acct_charge){ 0 };
		return 0;
	}
	if (carry_in >= divisor)
		return acct_fail(err, ACCT_CORRUPT,
				 "a carry is not below its divisor");
	rest = used % divisor * (uint64_t)price_micro + carry_in;
	if (__builtin_mul_overflow(used / divisor,
				   (acct_u128)(uint64_t)price_micro, &amount) ||
	    __builtin_add_overflow(amount, rest / divisor, &amount) ||
	    amount > INT64_MAX)
		return acct_fail(err, ACCT_OVERFLOW,
				 "an amount is beyond 2^63 - 1 micro-units");
	out->amount_micro = (int64_t)amount;
	out->carry_out = rest % divisor;
	return 0;
}

int acct_rate(enum acct_meter meter, const struct acct_usage *u,
	      const struct acct_price *price, acct_u128 carry_in,
	      struct acct_charge *out, struct acct_error *err)
{
	return acct_rate_quantity(acct_usage_quantity(meter, u),
				  acct_divisor(meter, price), price->micro,
				  carry_in, out, err);
}
