// SPDX-License-Identifier: Apache-2.0
/* /v1/accounts: who has one, and adjustments, which operators make. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "accounting/ledger.h"
#include "api/bill_json.h"
#include "api/json_read.h"
#include "api/json_write.h"
#include "api/page.h"
#include "api/problem.h"
#include "store/ledger.h"
#include "util/clock.h"

#define AMOUNT_MOST 1000000000000000LL
#define AMOUNT_LIMIT                                                           \
	"a whole number of micro-units from -1000000000000000 to "             \
	"1000000000000000, not 0"
#define NS_PER_MS 1000000LL

struct listing {
	struct page page;
	const struct acct_store *ledger;
};

static int add(void *context, const char *account, struct error *err)
{
	struct listing *l = context;

	(void)err;
	page_add(&l->page, account,
		 json_pack("{ss ss}", "id", account, "currency",
			   l->ledger->info.currency));
	return 0;
}

void accounts_list(struct request *r, struct answer *a)
{
	const char *mine = request_tenant(r);
	struct acct_store *ledger;
	struct listing l;
	struct error err;
	int rc;

	if (page_open_names(&l.page, r, a))
		return;
	rc = ledger_open(r->db, &ledger, &err);
	l.ledger = ledger;
	if (rc == 0 && mine)
		rc = add(&l, mine, &err);
	else if (rc == 0)
		rc = account_list(r->db, l.page.cursor, page_ask(&l.page), add,
				  &l, &err);
	page_close(&l.page, r, a, rc, &err);
}

struct adjustment {
	int64_t amount_micro, refers_to; /* refers_to 0: nothing */
	const char *note, *domain;       /* domain NULL: of none */
};

static void wrong(struct violations *v, const char *key, json_t *value,
		  const char *limit)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
						       JSON_ENSURE_ASCII)
			   : NULL;

	violation_add(v, text ? text : "missing", limit, "/%.60s", key);
	free(text);
}

static void read_adjustment(json_t *body, struct adjustment *out,
			    struct violations *v)
{
	json_t *amount = json_object_get(body, "amount_micro");
	json_t *note = json_object_get(body, "note");
	json_t *domain = json_object_get(body, "domain");
	json_t *refers = json_object_get(body, "refers_to");
	const char *key;
	json_t *value;

	out->amount_micro = json_integer_value(amount);
	out->note = json_string_value(note);
	out->domain = json_string_value(domain);
	out->refers_to = json_integer_value(refers);
	json_object_foreach(body, key, value)
	{
		if (value != amount && value != note && value != domain &&
		    value != refers)
			wrong(v, key, value,
			      "left out: there is no such field");
	}
	if (!json_is_integer(amount) || !out->amount_micro ||
	    out->amount_micro > AMOUNT_MOST || out->amount_micro < -AMOUNT_MOST)
		wrong(v, "amount_micro", amount, AMOUNT_LIMIT);
	if (!out->note || !acct_note_valid(out->note))
		wrong(v, "note", note, "1 to 160 printable ASCII characters");
	if (domain && !out->domain)
		wrong(v, "domain", domain, "the id of a domain of the account");
	if (refers && (!json_is_integer(refers) || out->refers_to < 1))
		wrong(v, "refers_to", refers, "the number of a row");
}

/* What has to be looked up. */
static int check(struct request *r, const struct adjustment *in,
		 struct acct_store *ledger, struct billed_domain *domain,
		 struct violations *v, struct error *err)
{
	struct acct_head head;
	struct acct_error why;
	char limit[48];

	if (ledger->ops->head(ledger, &head, &why))
		return ledger_failed(&why, err);
	if ((uint64_t)in->refers_to > head.seq) {
		snprintf(limit, sizeof(limit), "1 to %" PRIu64, head.seq);
		violation_add_number(v, in->refers_to, limit, "/refers_to");
	}
	if (!in->domain)
		return 0;
	if (billed_domain_find(r->db, r->words[0], in->domain, domain, err)) {
		if (err->code != ERR_NOT_FOUND)
			return -1;
		violation_add(v, in->domain,
			      "the id of a domain of the account", "/domain");
	}
	return 0;
}

static int append(struct request *r, struct acct_store *ledger,
		  const struct adjustment *in,
		  const struct billed_domain *domain, json_t **out,
		  struct error *err)
{
	struct acct_adjustment adjustment = {
		.account = r->words[0],
		.domain = in->domain ? domain->id : NULL,
		.at_ns = wall_now_ms() * NS_PER_MS,
		.amount_micro = in->amount_micro,
		.refers_to = (uint64_t)in->refers_to,
		.note = in->note,
	};
	struct acct_head head;
	struct acct_error why;

	if (acct_ledger_adjust(ledger, &adjustment, &why) ||
	    ledger->ops->head(ledger, &head, &why))
		return ledger_failed(&why, err);
	*out = json_pack("{sI ss so so so ss so so}", "row",
			 (json_int_t)head.seq, "account", r->words[0], "domain",
			 in->domain ? json_string(domain->id) : json_null(),
			 "at", moment_json(adjustment.at_ns), "amount",
			 money_json(ledger, in->amount_micro), "note", in->note,
			 "refers_to",
			 in->refers_to ? json_integer(in->refers_to)
				       : json_null(),
			 "hash", hash_json(head.hash));
	return 0;
}

static void create(struct request *r, struct answer *a, json_t *body)
{
	struct violations v = { .count = 0 };
	struct billed_domain domain = { .id = "" };
	struct adjustment in;
	struct acct_store *ledger;
	struct error err;
	json_t *made = NULL;
	int found = account_exists(r->db, r->words[0], &err);

	if (found == 0) {
		answer_problem(r, a, PROBLEM_NOT_FOUND, NULL, "no account %s",
			       r->words[0]);
		return;
	}
	read_adjustment(body, &in, &v);
	if (found < 0 || ledger_open(r->db, &ledger, &err) ||
	    (!v.count && check(r, &in, ledger, &domain, &v, &err)) ||
	    (!v.count && append(r, ledger, &in, &domain, &made, &err)))
		answer_error(r, a, &err);
	else if (v.count)
		answer_violations(r, a, &v);
	else
		answer_json(a, 201, made);
}

void adjustments_create(struct request *r, struct answer *a)
{
	json_t *body;

	if (!request_header(r, "Idempotency-Key")) {
		answer_problem(
			r, a, PROBLEM_MALFORMED,
			json_pack("{ss}", "header", "Idempotency-Key"),
			"an Idempotency-Key is needed: without one, what "
			"is asked for twice would count twice");
		return;
	}
	body = read_body(r, a, "application/json");
	if (!body)
		return;
	create(r, a, body);
	json_decref(body);
}
