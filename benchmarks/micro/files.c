// SPDX-License-Identifier: Apache-2.0
/* Files: creating and deleting 200 of them, empty and of 10 KiB. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "micro.h"

#define FILES 200

static const char content[10240];

static const char *name_of(int i)
{
	static char name[64];

	snprintf(name, sizeof(name), WORK_DIR "/c%d", i);
	return name;
}

static void create(int count, size_t bytes)
{
	for (int i = 0; i < count; i++) {
		int fd = open(name_of(i), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

		CHECK(fd >= 0);
		CHECK(write(fd, content, bytes) == (ssize_t)bytes);
		close(fd);
	}
}

static void remove_all(int count)
{
	for (int i = 0; i < count; i++)
		unlink(name_of(i));
}

static void measure_size(size_t bytes)
{
	struct samples created = { .ns = { 0 } }, deleted = { .ns = { 0 } };
	int count = scaled(FILES);
	char name[32];

	for (int r = -1; r < repeats; r++) { /* the first is a warm-up */
		struct counts of_create = { { 0 } }, of_delete = { { 0 } };
		double create_ns, delete_ns;

		counts_start(&of_create);
		create_ns = -now_ns();
		create(count, bytes);
		create_ns += now_ns();
		counts_stop(&of_create);
		counts_start(&of_delete);
		delete_ns = -now_ns();
		remove_all(count);
		delete_ns += now_ns();
		counts_stop(&of_delete);
		if (r < 0)
			continue;
		samples_add(&created, r, create_ns, &of_create, count);
		samples_add(&deleted, r, delete_ns, &of_delete, count);
	}
	sort_samples(&created);
	sort_samples(&deleted);
	snprintf(name, sizeof(name), "create_%zuK", bytes / 1024);
	print_samples(name, &created);
	snprintf(name, sizeof(name), "delete_%zuK", bytes / 1024);
	print_samples(name, &deleted);
}

void measure_files(void)
{
	measure_size(0);
	measure_size(sizeof(content));
}
