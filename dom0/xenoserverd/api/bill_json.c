// SPDX-License-Identifier: Apache-2.0
/* See bill_json.h. */
#include "api/bill_json.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "accounting/explain.h"

#define NS_PER_S 1000000000LL
/* The last whole year of 64 bits of ns. */
#define YEAR_LAST 2261

json_t *moment_json(int64_t at_ns)
{
	char text[ACCT_TIME_TEXT];

	return json_string(acct_time_text(at_ns, text));
}

/* count digits, and no more is read. */
static bool digits(const char **at, int count, int *out)
{
	*out = 0;
	while (count--) {
		if (!isdigit((unsigned char)**at))
			return false;
		*out = *out * 10 + (*(*at)++ - '0');
	}
	return true;
}

static bool letter(const char **at, const char *any_of)
{
	if (!**at || !strchr(any_of, **at))
		return false;
	(*at)++;
	return true;
}

/* Of a second: up to 9 digits behind a point, or nothing. */
static bool fraction(const char **at, int64_t *ns)
{
	int64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (**at != '.')
		return true;
	(*at)++;
	if (!isdigit((unsigned char)**at))
		return false;
	for (; isdigit((unsigned char)**at) && unit; unit /= 10)
		*ns += (*(*at)++ - '0') * unit;
	return !isdigit((unsigned char)**at);
}

static bool zone(const char **at, int *seconds)
{
	int sign = **at == '-' ? -1 : 1, hours, minutes;

	*seconds = 0;
	if (letter(at, "Zz"))
		return true;
	if (!letter(at, "+-") || !digits(at, 2, &hours) || !letter(at, ":") ||
	    !digits(at, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

bool moment_parse(const char *text, int64_t *at_ns)
{
	struct tm tm = { 0 }, back;
	int64_t ns;
	int offset_s;
	time_t s;

	if (!digits(&text, 4, &tm.tm_year) || !letter(&text, "-") ||
	    !digits(&text, 2, &tm.tm_mon) || !letter(&text, "-") ||
	    !digits(&text, 2, &tm.tm_mday) || !letter(&text, "Tt ") ||
	    !digits(&text, 2, &tm.tm_hour) || !letter(&text, ":") ||
	    !digits(&text, 2, &tm.tm_min) || !letter(&text, ":") ||
	    !digits(&text, 2, &tm.tm_sec) || !fraction(&text, &ns) ||
	    !zone(&text, &offset_s) || *text)
		return false;
	if (tm.tm_year < 1970 || tm.tm_year > YEAR_LAST)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	back = tm;
	s = timegm(&back);
	/* No thirteenth month and no 30 February. */
	if (back.tm_mon != tm.tm_mon || back.tm_mday != tm.tm_mday ||
	    back.tm_hour != tm.tm_hour || back.tm_min != tm.tm_min)
		return false;
	s -= offset_s;
	*at_ns = s * NS_PER_S + ns;
	return s >= 0;
}

json_t *whole_json(acct_u128 value)
{
	char text[ACCT_U128_TEXT];

	return json_string(acct_u128_text(value, text));
}

json_t *hash_json(const uint8_t hash[ACCT_HASH_BYTES])
{
	char text[ACCT_HASH_TEXT];

	return json_string(acct_hash_text(hash, text));
}

json_t *money_json(const struct acct_store *ledger, int64_t micro)
{
	return json_pack("{sI ss}", "micro", (json_int_t)micro, "currency",
			 ledger->info.currency);
}

json_t *head_json(const struct acct_store *ledger, const struct acct_head *head)
{
	return json_pack("{ss ss sI so}", "id", ledger->info.id, "currency",
			 ledger->info.currency, "rows", (json_int_t)head->seq,
			 "hash", hash_json(head->hash));
}

json_t *sums_json(const struct acct_store *ledger,
		  const struct acct_statement *s)
{
	json_t *list = json_array();

	for (uint32_t m = 1; m < ACCT_METERS; m++) {
		const struct acct_meter_info *info = acct_meter_info(m);
		const struct acct_sum *sum = &s->meters[m];

		json_array_append_new(
			list, json_pack("{ss so ss so}", "meter", info->name,
					"used", whole_json(sum->used),
					"used_unit", info->used_unit, "amount",
					money_json(ledger, sum->amount_micro)));
	}
	return list;
}

static json_t *price_json(const char *currency, enum acct_meter meter,
			  const struct acct_price *p)
{
	return json_pack("{sI ss sI ss}", "micro", (json_int_t)p->micro,
			 "currency", currency, "per", (json_int_t)p->per,
			 "unit", acct_meter_info(meter)->priced_unit);
}

static json_t *end_json(const struct acct_line *line, bool first)
{
	const struct acct_usage *u = &line->usage;
	const char *how = "read";

	if (u->flags & (first ? ACCT_START_COMPUTED : ACCT_END_COMPUTED))
		how = "computed";
	else if (first && u->flags & ACCT_RESET)
		how = "restarted";
	else if (!first && u->flags & ACCT_UNREAD)
		how = "unread";
	return json_pack("{so so ss}", "at",
			 moment_json(first ? u->start_ns : u->end_ns), "value",
			 whole_json(first ? u->start_value : u->end_value),
			 "how", how);
}

static void put_source(json_t *to, const struct acct_line *line,
		       const char *currency)
{
	const struct acct_source *s = &line->source;
	const struct acct_meter_info *info = acct_meter_info(s->meter);
	json_t *more = json_pack(
		"{sI ss sI ss ss}", "incarnation", (json_int_t)s->incarnation,
		"meter", info->name, "device", (json_int_t)s->device, "unit",
		info->unit, "used_unit", info->used_unit);

	json_object_update_new(to, more);
	if (line->tariff)
		json_object_set_new(to, "tariff",
				    json_integer((json_int_t)line->tariff));
	if (line->price.per)
		json_object_set_new(
			to, "price",
			price_json(currency, s->meter, &line->price));
}

json_t *line_json(const struct acct_store *ledger, const struct acct_line *line)
{
	bool usage = line->kind == ACCT_USAGE;
	char text[ACCT_LINE_TEXT];
	json_t *all = json_pack(
		"{ss ss sn sn sn so so sn sb sb so sn sn sn so so so so sI sI "
		"sI sn ss ss}",
		"kind", usage ? "usage" : "adjustment", "account",
		line->account, "incarnation", "meter", "device", "start",
		end_json(line, true), "end", end_json(line, false), "unit",
		"final", usage && line->usage.flags & ACCT_FINAL,
		"clock_went_back", usage && line->usage.flags & ACCT_CLOCK_BACK,
		"used", whole_json(line->used), "used_unit", "tariff", "price",
		"divisor",
		whole_json(
			usage ? acct_divisor(line->source.meter, &line->price)
			      : 0),
		"carry_in", whole_json(line->carry_in), "carry_out",
		whole_json(line->carry_out), "amount",
		money_json(ledger, line->amount_micro), "first_row",
		(json_int_t)line->first_seq, "last_row",
		(json_int_t)line->last_seq, "rows", (json_int_t)line->entries,
		"refers_to", "note", line->note, "text",
		acct_line_text(line, &ledger->info, text));

	json_object_set_new(all, "domain",
			    *line->source.domain
				    ? json_string(line->source.domain)
				    : json_null());
	if (line->refers_to)
		json_object_set_new(all, "refers_to",
				    json_integer((json_int_t)line->refers_to));
	if (usage)
		put_source(all, line, ledger->info.currency);
	return all;
}

json_t *tariff_json(const struct acct_tariff *t)
{
	uint8_t hash[ACCT_HASH_BYTES];
	json_t *prices = json_object();

	for (uint32_t m = 1; m < ACCT_METERS; m++)
		if (t->prices[m].per)
			json_object_set_new(
				prices, acct_meter_info(m)->name,
				price_json(t->currency, m, &t->prices[m]));
	acct_tariff_hash(t, hash);
	return json_pack("{sI ss ss so so so}", "version",
			 (json_int_t)t->version, "name", t->name, "currency",
			 t->currency, "effective_from",
			 moment_json(t->effective_from_ns), "prices", prices,
			 "hash", hash_json(hash));
}

enum acct_meter meter_parse(const char *name)
{
	for (uint32_t m = 1; m < ACCT_METERS; m++)
		if (strcmp(acct_meter_info(m)->name, name) == 0)
			return m;
	return 0;
}
