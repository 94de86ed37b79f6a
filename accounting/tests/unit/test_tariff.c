// SPDX-License-Identifier: Apache-2.0
/* Tests of tariff.c: what is refused, and what the hash covers. */
#include "world.h"

static struct acct_tariff good;

static int check(const struct acct_tariff *t)
{
	struct acct_error err = { .code = ACCT_OK };
	int result = acct_tariff_check(t, &err);

	assert_int_equal(err.code, result ? ACCT_INVALID : ACCT_OK);
	return result;
}

static void bounds_are_kept(void **state)
{
	struct acct_tariff t = good;

	(void)state;
	assert_int_equal(check(&t), 0);
	t.version = 0;
	assert_int_equal(check(&t), -1);
	t = good;
	t.effective_from_ns = -1;
	assert_int_equal(check(&t), -1);
	t = good;
	t.prices[ACCT_DISK] =
		(struct acct_price){ ACCT_PRICE_MAX, ACCT_PER_MAX };
	assert_int_equal(check(&t), 0);
	t.prices[ACCT_DISK].micro++;
	assert_int_equal(check(&t), -1);
	t.prices[ACCT_DISK].micro = -1;
	assert_int_equal(check(&t), -1);
	t.prices[ACCT_DISK] = (struct acct_price){ 1, ACCT_PER_MAX + 1 };
	assert_int_equal(check(&t), -1);
	t.prices[ACCT_DISK].per = -1;
	assert_int_equal(check(&t), -1);
	t.prices[ACCT_DISK].per = 0;
	assert_int_equal(check(&t), -1);
	t.prices[ACCT_DISK].micro = 0;
	assert_int_equal(check(&t), 0);
	t.prices[0].per = 1;
	assert_int_equal(check(&t), -1);
}

static void names_are_identifiers(void **state)
{
	static const char *const currencies[] = { "", "EU", "eur", "E R",
						  "EU1" };
	static const char *const names[] = { "", "a b", "a\n", "\x80", "a'" };
	struct acct_tariff t;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		t = good;
		strcpy(t.currency, currencies[i]);
		assert_int_equal(check(&t), -1);
		t = good;
		strcpy(t.name, names[i]);
		assert_int_equal(check(&t), -1);
	}
	t = good;
	memset(t.name, 'x', ACCT_ID_MAX);
	t.name[ACCT_ID_MAX] = '\0';
	assert_int_equal(check(&t), 0);
}

static void differs(const struct acct_tariff *t)
{
	uint8_t a[ACCT_HASH_BYTES], b[ACCT_HASH_BYTES];

	acct_tariff_hash(&good, a);
	acct_tariff_hash(t, b);
	assert_memory_not_equal(a, b, sizeof(a));
}

static void the_hash_covers_everything(void **state)
{
	struct acct_tariff t = good;

	(void)state;
	t.version++;
	differs(&t);
	t = good;
	t.name[0]++;
	differs(&t);
	t = good;
	t.currency[0]++;
	differs(&t);
	t = good;
	t.effective_from_ns++;
	differs(&t);
	for (uint32_t m = 1; m < ACCT_METERS; m++) {
		t = good;
		t.prices[m].per++;
		differs(&t);
		t.prices[m].per = 0;
		t.prices[m].micro = 0;
		if (good.prices[m].per)
			differs(&t);
	}
}

/* Of the text that docs/billing.md gives, by sha256sum. */
static void the_hash_is_that_of_the_documented_text(void **state)
{
	struct acct_tariff t = { .version = 1,
				 .name = "standard",
				 .currency = "EUR",
				 .effective_from_ns = NOVEMBER,
				 .prices = { [ACCT_VCPU] = { 36000, HOUR },
					     [ACCT_NET_SENT] = {
						     90000, 1000000000 } } };
	uint8_t hash[ACCT_HASH_BYTES];
	char text[ACCT_HASH_TEXT];

	(void)state;
	acct_tariff_hash(&t, hash);
	assert_string_equal(
		acct_hash_text(hash, text),
		"48d0fcee09585136cd71a9b05525f1ff83245d1e9c566253462163e5018e28df");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_kept),
		cmocka_unit_test(names_are_identifiers),
		cmocka_unit_test(the_hash_covers_everything),
		cmocka_unit_test(the_hash_is_that_of_the_documented_text),
	};

	good = world_tariff(1, NOVEMBER, 1);
	for (uint32_t m = 1; m < ACCT_METERS; m++)
		if (!good.prices[m].per)
			good.prices[m] = (struct acct_price){ 1, 2 };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
