// SPDX-License-Identifier: Apache-2.0
/* What docs/billing.md says is enough to check a ledger: check_ledger.py, which
 * knows nothing else, agrees with acct_verify. */
#include <sys/wait.h>
#include <unistd.h>

#include "world.h"

static char path[] = "/tmp/xeno-ledger-XXXXXX";

static int checked(void)
{
	char command[200];
	int status;

	snprintf(command, sizeof(command),
		 "/usr/bin/python3 accounting/tests/check_ledger.py %s "
		 ">/dev/null 2>&1",
		 path);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
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
	world_run(&w, "UPDATE acct_entry SET end_ns = end_ns - 1"
		      " WHERE seq = 300");
	assert_int_equal(checked(), 0);
	world_run(&w, "DROP TRIGGER acct_price_no_update;"
		      "UPDATE acct_price SET per = per + 1 WHERE version = 2"
		      " AND meter = 1");
	assert_int_equal(checked(), 1);
	world_close(&w);
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
	};
	int file = mkstemp(path);

	if (file < 0)
		return 1;
	close(file);
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
