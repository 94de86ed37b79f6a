// SPDX-License-Identifier: Apache-2.0
/* See console_log.h. */
#include "console/console_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define PATH_BYTES 512
/* Room is given back in such pieces: whole blocks of any file system. */
#define STEP_BYTES (CONSOLE_LOG_MOST_BYTES - CONSOLE_LOG_KEPT_BYTES)

static int path_of(char out[PATH_BYTES], const char *folder, const char *name)
{
	int length = snprintf(out, PATH_BYTES, "%s/%s.log", folder, name);

	return length > 0 && length < PATH_BYTES ? 0 : -1;
}

static uint64_t dropped_of(uint64_t size)
{
	if (size <= CONSOLE_LOG_KEPT_BYTES)
		return 0;
	return (size - CONSOLE_LOG_KEPT_BYTES) / STEP_BYTES * STEP_BYTES;
}

/* A file system without holes keeps more than it is asked for. */
static void give_back(int fd, uint64_t from, uint64_t to)
{
	if (to > from &&
	    fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      (off_t)from, (off_t)(to - from)))
		return;
}

int console_log_open(const char *folder, const char *name)
{
	char path[PATH_BYTES];
	struct stat st;
	int fd;

	if (path_of(path, folder, name))
		return -1;
	fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	/* What an earlier process has not come to. */
	if (fd >= 0 && fstat(fd, &st) == 0)
		give_back(fd, 0, dropped_of((uint64_t)st.st_size));
	return fd;
}

int console_log_add(int fd, const char *bytes, size_t count)
{
	struct stat st;
	uint64_t size;

	if (write(fd, bytes, count) != (ssize_t)count || fstat(fd, &st))
		return -1;
	size = (uint64_t)st.st_size;
	give_back(fd, dropped_of(size - count), dropped_of(size));
	return 0;
}

void console_log_remove(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	if (path_of(path, folder, name) == 0)
		unlink(path);
}

/* Where it starts and how long it is, of what there is. */
static void clip(struct console_part *p)
{
	uint64_t kept = p->size - p->dropped;

	if (p->offset == UINT64_MAX)
		p->offset = p->size - (p->count < kept ? p->count : kept);
	if (p->offset < p->dropped)
		p->offset = p->dropped;
	if (p->offset > p->size)
		p->offset = p->size;
	if (p->count > p->size - p->offset)
		p->count = p->size - p->offset;
}

int console_log_read(const char *folder, const char *name,
		     struct console_part *p, char *out, struct error *err)
{
	char path[PATH_BYTES];
	struct stat st;
	ssize_t got;
	int auto_close fd = -1;

	if (path_of(path, folder, name))
		return error_set(err, ERR_INVALID, "%s: too long", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		*p = (struct console_part){ .offset = 0 };
		return 0;
	}
	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERR_SYSTEM, "%s: %s", path,
				 strerror(errno));
	p->size = (uint64_t)st.st_size;
	p->dropped = dropped_of(p->size);
	clip(p);
	got = pread(fd, out, (size_t)p->count, (off_t)p->offset);
	if (got < 0)
		return error_set(err, ERR_SYSTEM, "%s: %s", path,
				 strerror(errno));
	p->count = (uint64_t)got;
	return 0;
}
