// SPDX-License-Identifier: Apache-2.0
/* What docs/billing.md says is enough to check a ledger: check_ledger.py, which
 * knows nothing else, agrees with xeno-ledger, whose path $XENO_LEDGER says. */
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static char path[] = "/tmp/xeno-ledger-XXXXXX";

/* The exit status of a command with the ledger's path in it. */
static int run(const char *format, const char *before, const char *after)
{
	char command[400];
	int status;

	snprintf(command, sizeof(command), format, before, path, after);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* That it says it. */
static bool says(const char *arguments, const char *what)
{
	char format[200];

	snprintf(format, sizeof(format), "%%s %s | grep -qF -- '%%s' && exit 0",
		 arguments);
	return !run(format, getenv("XENO_LEDGER"), what);
}

static int checked(void)
{
	int tool = run("%s verify %s >/dev/null 2>&1%s", getenv("XENO_LEDGER"),
		       "");

	assert_int_equal(run("/usr/bin/python3 %s %s >/dev/null 2>&1%s",
			     "accounting/tests/check_ledger.py", ""),
			 tool);
	return tool;
}

static void an_independent_reader_agrees(void **state)
{
	struct world w;

	(void)state;
	world_open(&w, path);
	world_live(&w, 61);
	world_verify(&w);
	assert_true(world_rows(&w) > 500);
	assert_int_equal(checked(), 0);
	world_run(&w, "DROP TRIGGER acct_entry_no_update;"
		      "UPDATE acct_entry SET end_ns = end_ns + 1"
		      " WHERE seq = 300");
	assert_int_equal(checked(), 1);
	assert_true(says("verify %s", "row 300 is wrong: its hash"));
	world_run(&w, "UPDATE acct_entry SET end_ns = end_ns - 1"
		      " WHERE seq = 300");
	assert_int_equal(checked(), 0);
	world_run(&w, "DROP TRIGGER acct_price_no_update;"
		      "UPDATE acct_price SET per = per + 1 WHERE version = 2"
		      " AND meter = 1");
	assert_int_equal(checked(), 1);
	world_run(&w, "UPDATE acct_price SET per = per - 1 WHERE version = 2"
		      " AND meter = 1");
	world_close(&w);
}

static void the_tool_makes_the_same_statement(void **state)
{
	struct acct_query q = { .account = "acme" };
	char amount[ACCT_AMOUNT_TEXT], hash[ACCT_HASH_TEXT], text[200];
	struct acct_statement made;
	struct acct_error err;
	struct world w;

	(void)state;
	world_open(&w, path);
	assert_int_equal(acct_window_month(2026, 11, &q.window, &err), 0);
	assert_int_equal(acct_statement(w.store, &q, NULL, NULL, &made, &err),
			 0);
	acct_amount_text(made.total_micro, amount);
	acct_hash_text(made.head.hash, hash);
	snprintf(text, sizeof(text), "total: %s EUR, %d lines", amount,
		 (int)made.lines);
	assert_true(says("statement %s 2026-11 account=acme", text));
	snprintf(text, sizeof(text), "row %d, hash %s", (int)made.head.seq,
		 hash);
	assert_true(says("statement %s 2026-11 account=acme", text));
	assert_true(says("statement %s 2026-10 domain=web", "total: 0.000000"));
	/* Its head is an anchor. */
	snprintf(text, sizeof(text), "%d %s >/dev/null", (int)made.head.seq,
		 hash);
	assert_int_equal(run("%s verify %s %s", getenv("XENO_LEDGER"), text),
			 0);
	hash[5] = hash[5] == '0' ? '1' : '0';
	snprintf(text, sizeof(text), "%d %s >/dev/null", (int)made.head.seq,
		 hash);
	assert_int_equal(run("%s verify %s %s", getenv("XENO_LEDGER"), text),
			 1);
	world_close(&w);
}

static void wrong_arguments_are_refused(void **state)
{
	static const char *const wrong[] = { "verify",
					     "verify %s 1",
					     "verify %s 0 00",
					     "verify %s x 00 2",
					     "statement %s",
					     "statement %s 2026-13",
					     "statement %s 2026-1",
					     "statement %s 2026-11 x=y",
					     "alter %s" };
	char format[100];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(format, sizeof(format),
			 strstr(wrong[i], "%s") ? "%%s %s 2>/dev/null%%s"
						: "%%s %s 2>/dev/null",
			 wrong[i]);
		assert_int_equal(run(format, getenv("XENO_LEDGER"), ""), 2);
	}
	assert_int_equal(run("%s verify %s%s 2>/dev/null",
			     getenv("XENO_LEDGER"), ".none"),
			 1);
}

static int tear_down(void **state)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char name[64];

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, parts[i]);
		unlink(name);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_independent_reader_agrees),
		cmocka_unit_test(the_tool_makes_the_same_statement),
		cmocka_unit_test(wrong_arguments_are_refused),
	};
	int file = mkstemp(path);

	if (file < 0)
		return 1;
	close(file);
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
