// SPDX-License-Identifier: Apache-2.0
/*
 * A real process appends to a real file and says so through a pipe after each
 * commit; it is killed at a random moment, many times over. What it had said is
 * there, the chain is whole, and the next one goes on from it.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

#define ROUNDS 30

static char path[] = "/tmp/xeno-ledger-XXXXXX";

static void pause_us(uint64_t us)
{
	struct timespec t = { (time_t)(us / 1000000),
			      (long)(us % 1000000) * 1000 };

	nanosleep(&t, NULL);
}

/* What the daemon does at each tick, and once in a while at a domain's end: a
 * change of its own state and the readings, in one transaction. */
static void append_for_ever(int acknowledge)
{
	struct world w;
	uint64_t seq;

	world_open(&w, path);
	world_run(&w, "CREATE TABLE IF NOT EXISTS state"
		      " (one INTEGER PRIMARY KEY, ticks INTEGER)");
	world_run(&w, "INSERT OR IGNORE INTO state VALUES (1, 0)");
	for (;;) {
		int64_t tick = 1 + world_ask(&w, "SELECT ticks FROM state");
		int64_t at = NOVEMBER + tick * SECOND;
		uint64_t life = (uint64_t)tick / 8;

		world_run(&w, "BEGIN IMMEDIATE;"
			      "UPDATE state SET ticks = ticks + 1");
		for (uint32_t d = 0; d < 3; d++) {
			struct acct_source s =
				world_source("web", life, ACCT_VCPU, d);

			if (tick % 8 == 0 || tick == 1)
				world_begin(&w, &s, "acme", at, 0);
			else
				world_read(&w, &s, at, (uint64_t)tick * 1000,
					   tick % 8 == 7);
		}
		world_run(&w, "COMMIT");
		seq = world_rows(&w);
		if (write(acknowledge, &seq, sizeof(seq)) != sizeof(seq))
			_exit(2);
	}
}

/* Reads at most that many acknowledgements; returns the last one. */
static uint64_t take(int from, unsigned int count, uint64_t before)
{
	uint64_t seq;
	ssize_t got;

	while (count-- && (got = read(from, &seq, sizeof(seq))) > 0) {
		assert_int_equal(got, sizeof(seq));
		before = seq;
	}
	return before;
}

/* Kills it so long after so many acknowledgements; returns the last row that
 * was said to be there. */
static uint64_t run_and_kill(unsigned int count, uint64_t after_us,
			     uint64_t before)
{
	int ends[2], status;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(ends[0]);
		append_for_ever(ends[1]);
	}
	close(ends[1]);
	before = take(ends[0], count, before);
	pause_us(after_us);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	/* It did not end by itself. */
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	before = take(ends[0], UINT32_MAX, before);
	close(ends[0]);
	return before;
}

static void what_was_acknowledged_survives(void **state)
{
	struct world random = { .seed = 51 };
	uint64_t acknowledged = 0, first = 0;

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		struct world w;
		int64_t ticks;

		acknowledged = run_and_kill(
			(unsigned int)world_random(&random, 12),
			world_random(&random, 30000), acknowledged);
		world_open(&w, path);
		world_verify(&w);
		assert_true(world_rows(&w) >= acknowledged);
		if (!world_rows(&w)) {
			world_close(&w);
			continue;
		}
		/* Its own state and the ledger are of the same tick: rows of
		 * three sources each. */
		ticks = world_ask(&w, "SELECT ticks FROM state");
		assert_int_equal(world_rows(&w), 3 * ticks);
		assert_int_equal(
			world_ask(&w, "SELECT max(end_ns) FROM acct_entry"),
			NOVEMBER + ticks * SECOND);
		world_close(&w);
		if (!first)
			first = acknowledged;
	}
	/* The killing left time for something to be written. */
	assert_true(first && acknowledged > first);
	printf("killed %d times, %d rows\n", ROUNDS, (int)acknowledged);
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
		cmocka_unit_test(what_was_acknowledged_survives),
	};
	int file = mkstemp(path);

	if (file < 0)
		return 1;
	close(file);
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
