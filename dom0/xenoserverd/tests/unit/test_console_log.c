// SPDX-License-Identifier: Apache-2.0
/* Tests of console/console_log.c and console/watchers.c. */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "console/console_log.h"
#include "console/watchers.h"
#include "unit.h"

static char folder[] = "/tmp/console-log-XXXXXX";
static char out[CONSOLE_LOG_MOST_BYTES];
static struct error err;

static struct console_part part(uint64_t offset, uint64_t count)
{
	struct console_part p = { .offset = offset, .count = count };

	assert_int_equal(console_log_read(folder, "web", &p, out, &err), 0);
	return p;
}

static void parts_of_a_log(void **state)
{
	struct console_part p;
	int fd;

	(void)state;
	p = part(0, 10);
	assert_int_equal(p.count, 0);
	assert_int_equal(p.size, 0);
	fd = console_log_open(folder, "web");
	assert_int_equal(console_log_add(fd, "hello ", 6), 0);
	assert_int_equal(console_log_add(fd, "world", 5), 0);
	close(fd);
	p = part(UINT64_MAX, 3);
	assert_int_equal(p.offset, 8);
	assert_memory_equal(out, "rld", 3);
	p = part(UINT64_MAX, UINT64_MAX);
	assert_int_equal(p.count, 11);
	p = part(4, 4);
	assert_int_equal(p.count, 4);
	assert_memory_equal(out, "o wo", 4);
	p = part(12, 1);
	assert_int_equal(p.offset, 11);
	assert_int_equal(p.count, 0);
	/* Gone on with by another process. */
	fd = console_log_open(folder, "web");
	assert_int_equal(console_log_add(fd, "!", 1), 0);
	close(fd);
	assert_int_equal(part(0, 100).count, 12);
	console_log_remove(folder, "web");
	console_log_remove(folder, "web");
	assert_int_equal(part(0, 100).size, 0);
}

/* What is kept is right, and what is not takes no room. */
static void the_front_is_dropped(void **state)
{
	uint64_t written = 0;
	char line[65];
	struct stat st;
	char path[64];
	int fd = console_log_open(folder, "web");

	(void)state;
	while (written < 5 * CONSOLE_LOG_KEPT_BYTES) {
		struct console_part p;

		snprintf(line, sizeof(line), "%063llu\n",
			 (unsigned long long)written);
		assert_int_equal(console_log_add(fd, line, 64), 0);
		written += 64;
		if (written % (1 << 18))
			continue;
		p = part(0, UINT64_MAX);
		assert_int_equal(p.size, written);
		assert_int_equal(p.offset, p.dropped);
		assert_int_equal(p.offset + p.count, written);
		if (written > CONSOLE_LOG_KEPT_BYTES)
			assert_true(p.count >= CONSOLE_LOG_KEPT_BYTES);
		assert_true(p.count < CONSOLE_LOG_MOST_BYTES);
		snprintf(line, sizeof(line), "%063llu\n",
			 (unsigned long long)p.offset);
		assert_memory_equal(out, line, 64);
	}
	close(fd);
	snprintf(path, sizeof(path), "%s/web.log", folder);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, written);
	assert_true((uint64_t)st.st_blocks * 512 <
		    CONSOLE_LOG_MOST_BYTES + (1 << 18));
	console_log_remove(folder, "web");
}

static void who_does_not_read_is_dropped(void **state)
{
	struct watchers w = { 0 };
	int quick[2], slow[2];
	char bytes[4096] = "x";

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, quick), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, slow), 0);
	assert_true(watchers_add(&w, quick[0]));
	assert_true(watchers_add(&w, slow[0]));
	for (int i = 0; i < 1000; i++) {
		watchers_show(&w, bytes, sizeof(bytes));
		assert_int_equal(
			recv(quick[1], bytes, sizeof(bytes), MSG_WAITALL),
			sizeof(bytes));
	}
	assert_int_equal(w.count, 1);
	assert_int_equal(w.fds[0], quick[0]);
	/* It finds the end behind what it has not read. */
	while (recv(slow[1], bytes, sizeof(bytes), 0) > 0)
		;
	watchers_end(&w);
	assert_int_equal(recv(quick[1], bytes, sizeof(bytes), 0), 0);
	assert_int_equal(w.count, 0);
}

static void there_is_room_for_some(void **state)
{
	struct watchers w = { 0 };

	(void)state;
	for (int i = 0; i < WATCHERS_MAX; i++)
		assert_true(watchers_add(&w, 100 + i));
	assert_false(watchers_add(&w, 200));
	watchers_remove(&w, 200);
	assert_int_equal(w.count, WATCHERS_MAX);
	watchers_remove(&w, 100);
	watchers_remove(&w, 103);
	assert_int_equal(w.count, WATCHERS_MAX - 2);
	for (unsigned int i = 0; i < w.count; i++)
		assert_true(w.fds[i] != 100 && w.fds[i] != 103);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_log),
		cmocka_unit_test(the_front_is_dropped),
		cmocka_unit_test(who_does_not_read_is_dropped),
		cmocka_unit_test(there_is_room_for_some),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
