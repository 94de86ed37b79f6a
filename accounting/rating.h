/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From usage to money, in integers, by one rule. A series is what one source
 * uses, from its opening on, under one version of the tariff. The amount of a
 * series is
 *
 *     what was used x price / quantity of the price,
 *
 * rounded to the nearest micro-unit, and half a one up; the amount of each
 * piece is by how much that grows through it. For this a remainder is carried
 * from piece to piece:
 *
 *     amount = (used x price + carry_in) div (per x scale)
 *     carry_out =                 the same mod (per x scale)
 *
 * and the first carry is half the divisor. So in however many pieces a usage is
 * rated, the amounts sum to the same; pieces too small to cost a micro-unit are
 * paid for when they add up to one; and a bill is wrong by half a micro-unit
 * per series at most.
 */
#ifndef ACCOUNTING_RATING_H
#define ACCOUNTING_RATING_H

#include "tariff.h"
#include "usage.h"

struct acct_charge {
	int64_t amount_micro;
	acct_u128 carry_out;
};

/* The divisor: 0 if there is nothing to pay. */
acct_u128 acct_divisor(enum acct_meter meter, const struct acct_price *price);

/* The carry that a series begins with. */
acct_u128 acct_first_carry(enum acct_meter meter,
			   const struct acct_price *price);

MUST_CHECK int acct_rate(enum acct_meter meter, const struct acct_usage *u,
			 const struct acct_price *price, acct_u128 carry_in,
			 struct acct_charge *out, struct acct_error *err);

/* The same for what was used. */
MUST_CHECK int acct_rate_quantity(acct_u128 used, acct_u128 divisor,
				  int64_t price_micro, acct_u128 carry_in,
				  struct acct_charge *out,
				  struct acct_error *err);

#endif
