// SPDX-License-Identifier: Apache-2.0
/* Tests of rating.c: the rule, its table, and that pieces cost what the whole
 * does. */
#include "world.h"

static struct acct_charge rate(enum acct_meter meter, acct_u128 used,
			       const struct acct_price *p, acct_u128 carry)
{
	struct acct_charge c = { 0 };
	struct acct_error err;

	if (acct_rate_quantity(used, acct_divisor(meter, p), p->micro, carry,
			       &c, &err))
		fail_msg("%s", err.message);
	return c;
}

static void half_a_micro_unit_is_one(void **state)
{
	static const struct {
		uint64_t used;
		struct acct_price price;
		int64_t amount;
	} rows[] = {
		{ 0, { 36000, HOUR }, 0 },
		{ HOUR, { 36000, HOUR }, 36000 },
		{ 49999999, { 36000, HOUR }, 0 },
		{ 50000000, { 36000, HOUR }, 1 },
		{ 149999999, { 36000, HOUR }, 1 },
		{ 150000000, { 36000, HOUR }, 2 },
		/* Of an odd divisor there is no half: the nearest. */
		{ 1, { 1, 3 }, 0 },
		{ 2, { 1, 3 }, 1 },
		{ 4, { 1, 3 }, 1 },
		{ 5, { 1, 3 }, 2 },
		{ INT64_MAX, { 1, 1 }, INT64_MAX },
		{ INT64_MAX, { 0, 1 }, 0 },
		{ INT64_MAX, { 0, 0 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct acct_price *p = &rows[i].price;
		acct_u128 carry = acct_first_carry(ACCT_VCPU, p);

		assert_int_equal(
			rate(ACCT_VCPU, rows[i].used, p, carry).amount_micro,
			rows[i].amount);
	}
}

static void levels_are_priced_by_byte_seconds(void **state)
{
	/* 4 GiB for 90 minutes at 4999 a GiB-hour: 29994 */
	struct acct_price p = { 4999, (INT64_C(1) << 30) * 3600 };
	struct acct_usage u = { NOVEMBER, NOVEMBER + 3 * HOUR / 2,
				INT64_C(4) << 30, 0, 0 };
	struct acct_charge c;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_rate(ACCT_MEMORY, &u, &p,
				   acct_first_carry(ACCT_MEMORY, &p), &c, &err),
			 0);
	assert_int_equal(c.amount_micro, 29994);
	assert_true(c.carry_out == acct_first_carry(ACCT_MEMORY, &p));
}

static void an_amount_too_large_is_an_error(void **state)
{
	struct acct_price p = { 2, 1 };
	struct acct_charge c;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_rate_quantity(INT64_MAX, 1, 2, 0, &c, &err), -1);
	assert_int_equal(err.code, ACCT_OVERFLOW);
	assert_int_equal(rate(ACCT_VCPU, INT64_MAX / 2, &p, 0).amount_micro,
			 INT64_MAX - 1);
	assert_int_equal(acct_rate_quantity((acct_u128)1 << 126, 1,
					    ACCT_PRICE_MAX, 0, &c, &err),
			 -1);
	assert_int_equal(err.code, ACCT_OVERFLOW);
}

static void a_carry_too_large_is_an_error(void **state)
{
	struct acct_charge c;
	struct acct_error err;

	(void)state;
	assert_int_equal(acct_rate_quantity(1, 10, 1, 9, &c, &err), 0);
	assert_int_equal(acct_rate_quantity(1, 10, 1, 10, &c, &err), -1);
	assert_int_equal(err.code, ACCT_CORRUPT);
}

/* The largest of everything is still exact: used = whole * d + rest. */
static void the_bounds_leave_room(void **state)
{
	struct acct_price p = { ACCT_PRICE_MAX, ACCT_PER_MAX };
	acct_u128 d = acct_divisor(ACCT_MEMORY, &p);
	struct acct_charge c;

	(void)state;
	assert_true(d == (acct_u128)ACCT_PER_MAX * 1000000000);
	c = rate(ACCT_MEMORY, d - 1, &p, d - 1);
	/* (d - 1) * p + d - 1 = (p + 1) * d - (p + 1) */
	assert_int_equal(c.amount_micro, ACCT_PRICE_MAX);
	assert_true(c.carry_out == d - ACCT_PRICE_MAX - 1);
	c = rate(ACCT_MEMORY, 900000000 * d, &p, 0);
	assert_int_equal(c.amount_micro, 900000000 * ACCT_PRICE_MAX);
}

struct random_price {
	struct acct_price price;
	acct_u128 divisor, carry;
};

static struct random_price some_price(struct world *w, enum acct_meter meter)
{
	struct random_price r = {
		.price = { (int64_t)world_random(w, 1 << world_random(w, 25)),
			   1 + (int64_t)world_random(
				       w, INT64_C(1) << world_random(w, 58)) },
	};

	r.divisor = acct_divisor(meter, &r.price);
	r.carry = acct_first_carry(meter, &r.price);
	return r;
}

/* However a usage is cut and in whatever order its parts are rated, they cost
 * together what it costs as one. */
static void cutting_changes_no_bill(void **state)
{
	struct world w = { .seed = 21 };

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct random_price r = some_price(&w, ACCT_VCPU);
		uint64_t parts[40], sum = 0;
		unsigned int count = 1 + (unsigned int)world_random(&w, 40);
		int64_t forth = 0, back = 0, whole;
		acct_u128 carry;

		for (unsigned int n = 0; n < count; n++) {
			parts[n] = world_random(
				&w, UINT64_C(1) << world_random(&w, 34));
			sum += parts[n];
		}
		whole = rate(ACCT_VCPU, sum, &r.price, r.carry).amount_micro;
		carry = r.carry;
		for (unsigned int n = 0; n < count; n++) {
			struct acct_charge c =
				rate(ACCT_VCPU, parts[n], &r.price, carry);

			forth += c.amount_micro;
			carry = c.carry_out;
		}
		carry = r.carry;
		for (unsigned int n = count; n-- > 0;) {
			struct acct_charge c =
				rate(ACCT_VCPU, parts[n], &r.price, carry);

			back += c.amount_micro;
			carry = c.carry_out;
		}
		assert_int_equal(forth, whole);
		assert_int_equal(back, whole);
	}
}

/* |amount - used * price / divisor| <= 1/2, without a division: 2 * |amount *
 * divisor - used * price| <= divisor. */
static void a_series_is_wrong_by_half_at_most(void **state)
{
	struct world w = { .seed = 22 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct random_price r = some_price(&w, ACCT_MEMORY);
		acct_u128 used =
			world_random(&w, UINT64_C(1) << world_random(&w, 63));
		acct_u128 exact = used * (uint64_t)r.price.micro;
		acct_u128 rounded =
			r.divisor *
			(uint64_t)rate(ACCT_MEMORY, used, &r.price, r.carry)
				.amount_micro;

		assert_true(2 * (exact > rounded ? exact - rounded
						 : rounded - exact) <=
			    r.divisor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_a_micro_unit_is_one),
		cmocka_unit_test(levels_are_priced_by_byte_seconds),
		cmocka_unit_test(an_amount_too_large_is_an_error),
		cmocka_unit_test(a_carry_too_large_is_an_error),
		cmocka_unit_test(the_bounds_leave_room),
		cmocka_unit_test(cutting_changes_no_bill),
		cmocka_unit_test(a_series_is_wrong_by_half_at_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
