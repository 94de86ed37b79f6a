// SPDX-License-Identifier: Apache-2.0
/*
 * xeno-ledger: reads a ledger's file without the daemon, and changes nothing.
 *
 *   xeno-ledger verify FILE [SEQ HASH]
 *   xeno-ledger statement FILE YYYY-MM [account=NAME] [domain=NAME]
 *
 * verify: SEQ and HASH are those of a statement that was kept. statement: of a
 * month in UTC, each line with its readings, tariff and arithmetic. The exit
 * status is 0; 1 when the ledger is wrong or cannot be read; 2 when the
 * arguments are.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounting/explain.h"
#include "accounting/statement.h"
#include "accounting/store_sqlite.h"
#include "accounting/verify.h"

static struct acct_store *store;
static struct acct_error err;

static int usage(void)
{
	fputs("usage: xeno-ledger verify FILE [SEQ HASH]\n"
	      "       xeno-ledger statement FILE YYYY-MM [account=NAME]"
	      " [domain=NAME]\n",
	      stderr);
	return 2;
}

static int failed(void)
{
	fprintf(stderr, "xeno-ledger: %s\n", err.message);
	return 1;
}

static void print_head(const struct acct_head *head)
{
	char hash[ACCT_HASH_TEXT];

	printf("ledger %s, row %" PRIu64 ", hash %s\n", store->info.id,
	       head->seq, acct_hash_text(head->hash, hash));
}

/* Digits only, and all of the text. */
static bool parse_number(const char *text, size_t digits, uint64_t *out)
{
	*out = 0;
	if (!digits || digits > 18 || strspn(text, "0123456789") < digits)
		return false;
	while (digits--)
		*out = *out * 10 + (uint64_t)(*text++ - '0');
	return true;
}

static bool parse_anchor(char **args, struct acct_head *out)
{
	static const char digits[] = "0123456789abcdef";

	if (!parse_number(args[0], strlen(args[0]), &out->seq) || !out->seq ||
	    strlen(args[1]) != 2 * ACCT_HASH_BYTES ||
	    strspn(args[1], digits) != 2 * ACCT_HASH_BYTES)
		return false;
	for (size_t i = 0; i < ACCT_HASH_BYTES; i++)
		out->hash[i] = (uint8_t)((strchr(digits, args[1][2 * i]) -
					  digits) << 4 |
					 (strchr(digits, args[1][2 * i + 1]) -
					  digits));
	return true;
}

static int verify(int count, char **args)
{
	struct acct_verdict v;
	struct acct_head anchor;
	char amount[ACCT_AMOUNT_TEXT];

	if (count && (count != 2 || !parse_anchor(args, &anchor)))
		return usage();
	if (acct_verify(store, count ? &anchor : NULL, &v, &err))
		return failed();
	if (!v.good) {
		printf("row %" PRIu64 " is wrong: %s\n", v.bad_seq, v.what);
		return 1;
	}
	print_head(&v.head);
	printf("all rows are right; they sum to %s %s\n",
	       acct_amount_text(v.total_micro, amount), store->info.currency);
	return 0;
}

static int print_line(void *context, const struct acct_line *line,
		      struct acct_error *unused)
{
	char text[ACCT_LINE_TEXT];

	(void)context;
	(void)unused;
	fputs(acct_line_text(line, &store->info, text), stdout);
	return 0;
}

static bool parse_month(const char *text, struct acct_window *out)
{
	uint64_t year, month;

	return strlen(text) == 7 && text[4] == '-' &&
	       parse_number(text, 4, &year) &&
	       parse_number(text + 5, 2, &month) &&
	       !acct_window_month((int)year, (int)month, out, &err);
}

static int statement(int count, char **args)
{
	struct acct_query q = { 0 };
	struct acct_statement made;
	char amount[ACCT_AMOUNT_TEXT];

	if (count < 1 || !parse_month(args[0], &q.window))
		return usage();
	for (int i = 1; i < count; i++) {
		if (!strncmp(args[i], "account=", 8))
			q.account = args[i] + 8;
		else if (!strncmp(args[i], "domain=", 7))
			q.domain = args[i] + 7;
		else
			return usage();
	}
	if (acct_statement(store, &q, print_line, NULL, &made, &err))
		return failed();
	printf("total: %s %s, %" PRIu64 " lines\n",
	       acct_amount_text(made.total_micro, amount), store->info.currency,
	       made.lines);
	print_head(&made.head);
	return 0;
}

int main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	int (*verb)(int count, char **args) = NULL;
	int result;

	if (argc > 2 && !strcmp(argv[1], "verify"))
		verb = verify;
	else if (argc > 2 && !strcmp(argv[1], "statement"))
		verb = statement;
	if (!verb)
		return usage();
	if (sqlite3_open_v2(argv[2], &db, SQLITE_OPEN_READONLY, NULL)) {
		fprintf(stderr, "xeno-ledger: %s: %s\n", argv[2],
			sqlite3_errmsg(db));
		result = 1;
	} else if (acct_sqlite_open_existing(db, &store, &err)) {
		result = failed();
	} else {
		result = verb(argc - 3, argv + 3);
	}
	acct_sqlite_close(store);
	sqlite3_close(db);
	return result;
}
