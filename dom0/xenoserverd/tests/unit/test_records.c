// SPDX-License-Identifier: Apache-2.0
/* Tests of serve/records.c, in a folder of their own. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/records.h"
#include "unit.h"

static char folder[] = "/tmp/xeno-records-XXXXXX";
static struct record seen[4];
static unsigned int count;

static void found(void *context, const struct record *r)
{
	assert_ptr_equal(context, folder);
	assert_true(count < 4);
	seen[count++] = *r;
}

static void read_all(void)
{
	struct error err;

	for (unsigned int i = 0; i < count; i++)
		free(seen[i].text);
	count = 0;
	assert_int_equal(records_read(folder, found, folder, &err), 0);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void what_is_written_is_read(void **state)
{
	char text[] = "name = a\n# and more\n", other[] = "name = b\n";
	struct record a = { RECORD_RUNNING, 7, 12345678901, text };
	struct record b = { RECORD_ENDED, 8, 1, other };
	struct error err;

	(void)state;
	assert_int_equal(records_open(folder, &err), 0);
	assert_int_equal(record_write(folder, "a", &b, &err), 0);
	assert_int_equal(record_write(folder, "a", &a, &err), 0);
	assert_int_equal(record_write(folder, "b", &b, &err), 0);
	read_all();
	assert_int_equal(count, 2);
	assert_int_equal(seen[0].state, RECORD_RUNNING);
	assert_int_equal(seen[0].id, 7);
	assert_int_equal(seen[0].created_s, 12345678901);
	assert_string_equal(seen[0].text, text);
	assert_int_equal(seen[1].state, RECORD_ENDED);
	assert_string_equal(seen[1].text, other);
	record_remove(folder, "b");
	read_all();
	assert_int_equal(count, 1);
}

static void what_is_no_record_is_left_out(void **state)
{
	(void)state;
	write_file("half.new", "xeno-dom-record 1 2 3\nname = c\n");
	write_file("none.domain", "name = d\n");
	write_file("state.domain", "xeno-dom-record 9 2 3\nname = e\n");
	write_file("empty.domain", "");
	read_all();
	assert_int_equal(count, 1);
	assert_int_equal(seen[0].id, 7);
}

static void a_folder_that_is_missing_is_an_error(void **state)
{
	struct record r = { .text = folder };
	struct error err;

	(void)state;
	assert_int_equal(records_read("/nonexistent", found, folder, &err), -1);
	assert_int_equal(records_open("/nonexistent/x", &err), -1);
	assert_int_equal(record_write("/nonexistent", "a", &r, &err), -1);
}

static int tear_down(void **state)
{
	static const char *const files[] = { "a.domain", "half.new",
					     "none.domain", "state.domain",
					     "empty.domain" };
	char path[256];

	(void)state;
	for (unsigned int i = 0; i < count; i++)
		free(seen[i].text);
	for (unsigned int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(what_is_no_record_is_left_out),
		cmocka_unit_test(a_folder_that_is_missing_is_an_error),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, tear_down);
}
