// SPDX-License-Identifier: Apache-2.0
/* /v1/ledger: its head, and whether it is what was written. */
#include "store/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "accounting/verify.h"
#include "api/bill_json.h"
#include "api/json_write.h"
#include "api/problem.h"

static void failed(struct request *r, struct answer *a,
		   const struct acct_error *why)
{
	struct error err;

	ledger_failed(why, &err);
	answer_error(r, a, &err);
}

void ledger_get(struct request *r, struct answer *a)
{
	struct acct_store *ledger;
	struct acct_head head;
	struct acct_error why;
	struct error err;

	if (ledger_open(r->db, &ledger, &err))
		answer_error(r, a, &err);
	else if (ledger->ops->head(ledger, &head, &why))
		failed(r, a, &why);
	else
		answer_json(a, 200, head_json(ledger, &head));
}

static int refuse(struct request *r, struct answer *a, const char *parameter,
		  const char *value, const char *limit)
{
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", parameter, "value",
				 text_json(value ? value : ""), "limit", limit),
		       "%s has to be %s", parameter, limit);
	return -1;
}

static uint8_t digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* 1: there is one; 0: there is none; -1: the answer says what is wrong. */
static int read_anchor(struct request *r, struct answer *a,
		       struct acct_head *out)
{
	const char *row = request_query(r, "row");
	const char *hash = request_query(r, "hash");
	char *end;

	if (!row && !hash)
		return 0;
	out->seq = row ? strtoull(row, &end, 10) : 0;
	if (!row || *row < '1' || *row > '9' || *end || out->seq > INT64_MAX)
		return refuse(r, a, "row", row,
			      "a row's number, with its hash");
	if (!hash || strlen(hash) != ACCT_HASH_TEXT - 1 ||
	    strspn(hash, "0123456789abcdef") != ACCT_HASH_TEXT - 1)
		return refuse(r, a, "hash", hash,
			      "64 lower-case hexadecimal digits, with a row");
	for (size_t i = 0; i < ACCT_HASH_BYTES; i++)
		out->hash[i] = (uint8_t)(digit(hash[2 * i]) << 4 |
					 digit(hash[2 * i + 1]));
	return 1;
}

void ledger_verify(struct request *r, struct answer *a)
{
	struct acct_head anchor;
	struct acct_store *ledger;
	struct acct_verdict v;
	struct acct_error why;
	struct error err;
	int given = read_anchor(r, a, &anchor);
	json_t *json;

	if (given < 0)
		return;
	if (ledger_open(r->db, &ledger, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (acct_verify(ledger, given ? &anchor : NULL, &v, &why)) {
		failed(r, a, &why);
		return;
	}
	json = json_pack("{sb so so}", "good", v.good, "ledger",
			 head_json(ledger, &v.head), "total",
			 money_json(ledger, v.total_micro));
	json_object_set_new(json, "bad_row",
			    v.bad_seq ? json_integer((json_int_t)v.bad_seq)
				      : json_null());
	json_object_set_new(json, "what",
			    v.good ? json_null() : json_string(v.what));
	answer_json(a, 200, json);
}
