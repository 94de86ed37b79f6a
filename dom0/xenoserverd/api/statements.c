// SPDX-License-Identifier: Apache-2.0
/* What domains and accounts have used and owe. The meters are read first, so
 * that what is answered is of now, and stands in the ledger. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/bill_json.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "store/ledger.h"
#include "store/meter_rows.h"
#include "util/clock.h"

/* When the worker is at something else, old readings have to do. */
#define REFRESH_WAIT_MS 2000
#define NS_PER_MS 1000000LL

/* What is asked for, and of when. */
struct bill {
	struct acct_store *ledger;
	struct acct_query query; /* NULL instead of all */
	char account[TENANT_MAX];
	struct billed_domain domain; /* its id is "": of all */
	int64_t as_of_ns;
	json_t *lines; /* NULL: not wanted */
	struct acct_statement made;
};

static int refuse(struct request *r, struct answer *a, const char *parameter,
		  const char *limit)
{
	const char *value = request_query(r, parameter);

	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", parameter, "value",
				 text_json(value ? value : ""), "limit", limit),
		       "%s has to be %s", parameter, limit);
	return -1;
}

static int read_moment(struct request *r, struct answer *a,
		       const char *parameter, int64_t *at_ns)
{
	const char *text = request_query(r, parameter);

	if (!text || moment_parse(text, at_ns))
		return 0;
	return refuse(r, a, parameter,
		      "a time of RFC 3339 from 1970 to 2261, as "
		      "2026-11-30T23:59:59Z");
}

static int read_month(struct request *r, struct answer *a,
		      struct acct_window *w)
{
	const char *text = request_query(r, "month");
	struct acct_error why;
	char *end;
	long year;

	if (request_query(r, "from") || request_query(r, "to"))
		return refuse(r, a, "month", "without from and to");
	year = strtol(text, &end, 10);
	if (strlen(text) == 7 && strspn(text, "0123456789") == 4 &&
	    *end == '-' && strspn(end + 1, "0123456789") == 2 &&
	    acct_window_month((int)year, (int)strtol(end + 1, NULL, 10), w,
			      &why) == 0)
		return 0;
	return refuse(r, a, "month", "a month from 1970-01 to 2261-12");
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Left out, the end is now, by whatever clock is furthest. */
static int read_end(struct request *r, struct answer *a, struct bill *b)
{
	struct acct_error why;
	struct error err;
	int64_t latest_ns;

	if (b->ledger->ops->latest_ns(b->ledger, &latest_ns, &why)) {
		ledger_failed(&why, &err);
		answer_error(r, a, &err);
		return -1;
	}
	latest_ns = later(latest_ns, wall_now_ms() * NS_PER_MS);
	b->query.window.to_ns = later(latest_ns, b->as_of_ns) + 1;
	return 0;
}

static int read_window(struct request *r, struct answer *a, struct bill *b)
{
	struct acct_window *w = &b->query.window;

	if (read_end(r, a, b))
		return -1;
	if (request_query(r, "month"))
		return read_month(r, a, w);
	if (read_moment(r, a, "from", &w->from_ns) ||
	    read_moment(r, a, "to", &w->to_ns))
		return -1;
	if (w->from_ns < w->to_ns)
		return 0;
	return refuse(r, a, "from",
		      "before to, which is now if it is left out");
}

static int read_last_row(struct request *r, struct answer *a, struct bill *b)
{
	const char *text = request_query(r, "last_row");
	struct acct_head head;
	struct acct_error why;
	struct error err;
	char limit[48], *end;

	if (!text)
		return 0;
	if (b->ledger->ops->head(b->ledger, &head, &why)) {
		ledger_failed(&why, &err);
		answer_error(r, a, &err);
		return -1;
	}
	b->query.last_seq = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && b->query.last_seq &&
	    b->query.last_seq <= head.seq)
		return 0;
	snprintf(limit, sizeof(limit), "1 to %" PRIu64, head.seq);
	return refuse(r, a, "last_row", limit);
}

/* false: the answer is to come. */
static bool fresh(struct request *r, struct answer *a, const struct bill *b)
{
	int64_t until_ms = r->started_ms + REFRESH_WAIT_MS;
	bool domain = *b->domain.id;

	if (orchestration_refresh(
		    r->api->orchestration, domain ? NULL : b->account,
		    domain ? b->domain.id : NULL, r->started_ms) ||
	    monotonic_now_ms() >= until_ms)
		return true;
	/* Should there be no time to wait. */
	answer_problem(r, a, PROBLEM_STORE_BUSY, NULL,
		       "the meters are being read");
	a->wait_until_ms = until_ms;
	return false;
}

/* After it is known of whom. */
static int open_bill(struct request *r, struct answer *a, struct bill *b)
{
	struct meter_clock clock;
	struct error err;

	if (!fresh(r, a, b))
		return -1;
	if (ledger_open(r->db, &b->ledger, &err) ||
	    meter_clock_load(r->db, &clock, &err) < 0) {
		answer_error(r, a, &err);
		return -1;
	}
	b->as_of_ns = clock.seen_ns;
	b->query.account = b->account;
	b->query.domain = *b->domain.id ? b->domain.id : NULL;
	return read_window(r, a, b) || read_last_row(r, a, b) ? -1 : 0;
}

static int open_domain(struct request *r, struct answer *a, struct bill *b)
{
	struct error err;

	if (billed_domain_find(r->db, request_tenant(r), r->words[0],
			       &b->domain, &err)) {
		answer_error(r, a, &err);
		return -1;
	}
	memcpy(b->account, b->domain.account, sizeof(b->account));
	return open_bill(r, a, b);
}

static int open_account(struct request *r, struct answer *a, struct bill *b)
{
	const char *mine = request_tenant(r), *name = r->words[0];
	struct error err;
	int found = mine ? strcmp(mine, name) == 0
			 : account_exists(r->db, name, &err);

	if (found < 0) {
		answer_error(r, a, &err);
		return -1;
	}
	if (!found) {
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL, "no account %s",
			       name);
		return -1;
	}
	snprintf(b->account, sizeof(b->account), "%.*s", TENANT_MAX - 1, name);
	return open_bill(r, a, b);
}

static int add_line(void *context, const struct acct_line *line,
		    struct acct_error *err)
{
	struct bill *b = context;

	(void)err;
	json_array_append_new(b->lines, line_json(b->ledger, line));
	return 0;
}

/* What usage, statement and account have in common; NULL: the answer says
 * why. */
static json_t *make(struct request *r, struct answer *a, struct bill *b)
{
	struct acct_error why;
	struct error err;

	if (acct_statement(b->ledger, &b->query, b->lines ? add_line : NULL, b,
			   &b->made, &why)) {
		json_decref(b->lines);
		ledger_failed(&why, &err);
		answer_error(r, a, &err);
		return NULL;
	}
	return json_pack("{so so so so so}", "as_of", moment_json(b->as_of_ns),
			 "ledger", head_json(b->ledger, &b->made.head),
			 "meters", sums_json(b->ledger, &b->made),
			 "adjustments",
			 money_json(b->ledger, b->made.adjustments_micro),
			 "total", money_json(b->ledger, b->made.total_micro));
}

static void put_window(json_t *to, const struct bill *b)
{
	json_object_set_new(to, "account", json_string(b->account));
	json_object_set_new(to, "domain",
			    *b->domain.id ? json_string(b->domain.id)
					  : json_null());
	json_object_set_new(to, "from", moment_json(b->query.window.from_ns));
	json_object_set_new(to, "to", moment_json(b->query.window.to_ns));
}

/* The last reading of each source; NULL: err says why. */
static json_t *readings_json(const struct bill *b, struct error *err)
{
	struct acct_source s = { .incarnation = 0 };
	struct acct_entry last;
	struct acct_error why;
	json_t *list = json_array();
	int found;

	snprintf(s.domain, sizeof(s.domain), "%s", b->domain.id);
	while ((found = b->ledger->ops->next_source(b->ledger, &s, &s, &why)) >
	       0) {
		const struct acct_meter_info *info = acct_meter_info(s.meter);

		found = b->ledger->ops->last_of(b->ledger, &s, UINT64_MAX,
						&last, &why);
		if (found < 0)
			break;
		json_array_append_new(
			list,
			json_pack("{sI ss sI so so ss sb}", "incarnation",
				  (json_int_t)s.incarnation, "meter",
				  info->name, "device", (json_int_t)s.device,
				  "at", moment_json(last.usage.end_ns), "value",
				  whole_json(last.usage.end_value), "unit",
				  info->unit, "final",
				  (last.usage.flags & ACCT_FINAL) != 0));
	}
	if (found == 0)
		return list;
	json_decref(list);
	ledger_failed(&why, err);
	return NULL;
}

void usage_get(struct request *r, struct answer *a)
{
	struct bill b = { .lines = NULL };
	json_t *all, *readings;
	struct error err;

	if (open_domain(r, a, &b))
		return;
	all = make(r, a, &b);
	if (!all)
		return;
	readings = readings_json(&b, &err);
	if (!readings) {
		json_decref(all);
		answer_error(r, a, &err);
		return;
	}
	put_window(all, &b);
	json_object_set_new(all, "readings", readings);
	answer_json(a, 200, all);
}

static void answer_statement(struct request *r, struct answer *a,
			     struct bill *b)
{
	json_t *all;

	b->lines = json_array();
	all = make(r, a, b);
	if (!all)
		return;
	put_window(all, b);
	json_object_set_new(all, "lines", b->lines);
	answer_json(a, 200, all);
}

void domain_statement_get(struct request *r, struct answer *a)
{
	struct bill b = { .lines = NULL };

	if (open_domain(r, a, &b) == 0)
		answer_statement(r, a, &b);
}

void account_statement_get(struct request *r, struct answer *a)
{
	struct bill b = { .lines = NULL };

	if (open_account(r, a, &b) == 0)
		answer_statement(r, a, &b);
}

void accounts_get(struct request *r, struct answer *a)
{
	struct bill b = { .lines = NULL };
	json_t *all;

	if (open_account(r, a, &b))
		return;
	all = make(r, a, &b);
	if (!all)
		return;
	json_object_set_new(all, "id", json_string(b.account));
	json_object_set_new(all, "currency",
			    json_string(b.ledger->info.currency));
	answer_json(a, 200, all);
}
