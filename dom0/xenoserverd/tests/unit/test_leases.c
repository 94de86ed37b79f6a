// SPDX-License-Identifier: Apache-2.0
/* Tests of network/leases.c, with this process in dnsmasq's place. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "network/leases.h"
#include "unit.h"

static char folder[] = "/tmp/leases-XXXXXX";
static volatile sig_atomic_t hangups, terminations;
static struct error err;

static void count(int signal)
{
	if (signal == SIGHUP)
		hangups++;
	else
		terminations++;
}

static void path_in(char path[64], const char *name)
{
	snprintf(path, 64, "%s/%s", folder, name);
}

static int make_folder(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path_in(path, "hosts");
	assert_int_equal(mkdir(path, 0700), 0);
	path_in(path, "pid");
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%d\n", getpid());
	fclose(f);
	signal(SIGHUP, count);
	signal(SIGTERM, count);
	return 0;
}

static int remove_folder(void **state)
{
	char path[64];

	(void)state;
	path_in(path, "pid");
	unlink(path);
	path_in(path, "hosts");
	rmdir(path);
	return rmdir(folder);
}

static void lease_is_written_and_taken_away(void **state)
{
	static const uint8_t mac[] = { 2, 0xab, 0, 1, 2, 3 };
	static const uint8_t ipv4[] = { 10, 0, 2, 101 };
	char path[64], line[80] = "";
	FILE *f;

	(void)state;
	assert_int_equal(lease_add(folder, 7, 1, mac, ipv4, &err), 0);
	assert_int_equal(hangups, 1);
	path_in(path, "hosts/7.1");
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_string_equal(line, "02:ab:00:01:02:03,10.0.2.101\n");
	lease_remove(folder, 7, 1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(terminations, 1);
	/* There is none: nothing to forget. */
	lease_remove(folder, 7, 1);
	assert_int_equal(terminations, 1);
}

static void no_folder_is_no_error_but_a_missing_one_is(void **state)
{
	static const uint8_t zeros[6];

	(void)state;
	assert_int_equal(lease_add(NULL, 1, 0, zeros, zeros, &err), 0);
	lease_remove(NULL, 1, 0);
	assert_int_equal(lease_add("/nonexistent", 1, 0, zeros, zeros, &err),
			 -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lease_is_written_and_taken_away),
		cmocka_unit_test(no_folder_is_no_error_but_a_missing_one_is),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
