// SPDX-License-Identifier: Apache-2.0
/* /v1/tariffs: published by operators, version by version, and never changed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/ledger.h"
#include "api/bill_json.h"
#include "api/json_read.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "store/ledger.h"
#include "util/clock.h"

#define NS_PER_MS 1000000LL
/* What every client's numbers can hold. */
#define PER_MOST 9007199254740991LL

static void failed(struct request *r, struct answer *a,
		   const struct acct_error *why)
{
	struct error err;

	ledger_failed(why, &err);
	answer_error(r, a, &err);
}

/* NULL: the answer says why not. */
static struct acct_store *open_ledger(struct request *r, struct answer *a)
{
	struct acct_store *ledger;
	struct error err;

	if (ledger_open(r->db, &ledger, &err) == 0)
		return ledger;
	answer_error(r, a, &err);
	return NULL;
}

void tariffs_list(struct request *r, struct answer *a)
{
	struct acct_store *ledger = open_ledger(r, a);
	json_t *items = json_array();
	struct acct_tariff t;
	struct acct_error why;
	int found = 1;

	for (uint32_t version = 1; ledger && found > 0; version++) {
		found = ledger->ops->get_tariff(ledger, version, &t, &why);
		if (found > 0)
			json_array_append_new(items, tariff_json(&t));
	}
	if (ledger && found == 0) {
		answer_page(r, a, items, "");
		return;
	}
	json_decref(items);
	if (ledger)
		failed(r, a, &why);
}

void tariffs_get(struct request *r, struct answer *a)
{
	struct acct_store *ledger = open_ledger(r, a);
	const char *word = r->words[0];
	struct acct_tariff t;
	struct acct_error why;
	char *end;
	unsigned long version = strtoul(word, &end, 10);
	int found = 0;

	if (!ledger)
		return;
	/* 0 would be the newest. */
	if (*word >= '1' && *word <= '9' && !*end && version <= UINT32_MAX)
		found = ledger->ops->get_tariff(ledger, (uint32_t)version, &t,
						&why);
	if (found < 0)
		failed(r, a, &why);
	else if (!found)
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL,
			       "no version %s of the tariff", word);
	else
		answer_json(a, 200, tariff_json(&t));
}

static void wrong(struct violations *v, json_t *value, const char *limit,
		  const char *at, const char *key)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
						       JSON_ENSURE_ASCII)
			   : NULL;

	violation_add(v, text ? text : "missing", limit, "%s/%.60s", at, key);
	free(text);
}

static void read_number(json_t *price, const char *key, int64_t least,
			int64_t most, int64_t *out, const char *at,
			struct violations *v)
{
	json_t *value = json_object_get(price, key);
	char limit[64];

	*out = json_integer_value(value);
	if (json_is_integer(value) && *out >= least && *out <= most)
		return;
	snprintf(limit, sizeof(limit), "a whole number from %lld to %lld",
		 (long long)least, (long long)most);
	wrong(v, value, limit, at, key);
}

static void read_price(const char *meter, json_t *price,
		       struct acct_tariff *out, struct violations *v)
{
	enum acct_meter m = meter_parse(meter);
	char at[80];
	const char *key;
	json_t *value;

	snprintf(at, sizeof(at), "/prices/%.60s", meter);
	if (!m) {
		wrong(v, price, "left out: there is no such meter", "/prices",
		      meter);
		return;
	}
	if (!json_is_object(price)) {
		wrong(v, price, "an object with micro and per", "/prices",
		      meter);
		return;
	}
	json_object_foreach(price, key, value)
	{
		if (strcmp(key, "micro") != 0 && strcmp(key, "per") != 0)
			wrong(v, value, "left out: there is no such field", at,
			      key);
	}
	read_number(price, "micro", 0, ACCT_PRICE_MAX, &out->prices[m].micro,
		    at, v);
	read_number(price, "per", 1, PER_MOST, &out->prices[m].per, at, v);
}

/* The first moment that a tariff may be in force at. */
static int first_moment(struct acct_store *ledger, struct acct_tariff *newest,
			int64_t *at_ns, struct acct_error *why)
{
	int found = ledger->ops->get_tariff(ledger, 0, newest, why);

	if (found < 0 || ledger->ops->latest_ns(ledger, at_ns, why))
		return -1;
	if (found && newest->effective_from_ns > *at_ns)
		*at_ns = newest->effective_from_ns;
	(*at_ns)++;
	return 0;
}

static void read_tariff(json_t *body, int64_t first_ns, struct acct_tariff *out,
			struct violations *v)
{
	json_t *name = json_object_get(body, "name");
	json_t *from = json_object_get(body, "effective_from");
	json_t *prices = json_object_get(body, "prices");
	char limit[96], text[ACCT_TIME_TEXT];
	const char *key;
	json_t *value;

	json_object_foreach(body, key, value)
	{
		if (value != name && value != from && value != prices)
			wrong(v, value, "left out: there is no such field", "",
			      key);
	}
	if (!json_is_string(name) || !acct_id_valid(json_string_value(name)))
		wrong(v, name, "1 to 63 letters, digits, . _ : @ / -", "",
		      "name");
	else
		snprintf(out->name, sizeof(out->name), "%s",
			 json_string_value(name));
	snprintf(limit, sizeof(limit), "a time of RFC 3339, %s or later",
		 acct_time_text(first_ns, text));
	if (from &&
	    (!json_is_string(from) ||
	     !moment_parse(json_string_value(from), &out->effective_from_ns) ||
	     out->effective_from_ns < first_ns))
		wrong(v, from, limit, "", "effective_from");
	if (!json_is_object(prices)) {
		wrong(v, prices, "an object of prices", "", "prices");
		return;
	}
	json_object_foreach(prices, key, value)
	{
		read_price(key, value, out, v);
	}
}

static void create(struct request *r, struct answer *a, json_t *body)
{
	struct acct_store *ledger = open_ledger(r, a);
	int64_t now_ns = wall_now_ms() * NS_PER_MS, first_ns;
	struct acct_tariff t = { .effective_from_ns = now_ns }, newest;
	struct violations v = { .count = 0 };
	struct acct_error why;

	if (!ledger)
		return;
	if (first_moment(ledger, &newest, &first_ns, &why)) {
		failed(r, a, &why);
		return;
	}
	if (t.effective_from_ns < first_ns)
		t.effective_from_ns = first_ns;
	t.version = newest.version + 1;
	snprintf(t.currency, sizeof(t.currency), "%s", ledger->info.currency);
	read_tariff(body, first_ns, &t, &v);
	if (v.count) {
		answer_violations(r, a, &v);
		return;
	}
	if (acct_ledger_publish(ledger, &t, now_ns, &why)) {
		failed(r, a, &why);
		return;
	}
	snprintf(a->location, sizeof(a->location), "/v1/tariffs/%u", t.version);
	answer_json(a, 201, tariff_json(&t));
}

void tariffs_create(struct request *r, struct answer *a)
{
	json_t *body = read_body(r, a, "application/json");

	if (!body)
		return;
	create(r, a, body);
	json_decref(body);
}
