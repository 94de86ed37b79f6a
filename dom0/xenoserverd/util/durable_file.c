// SPDX-License-Identifier: Apache-2.0
/* See durable_file.h. */
#include "util/durable_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define PATH_BYTES 512

static int write_whole(const char *path, const char *bytes, size_t count)
{
	auto_close int fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	while (count) {
		ssize_t n = write(fd, bytes, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		count -= (size_t)n;
	}
	return fsync(fd);
}

/* The folder's entry is what the renaming has changed. */
static int sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_BYTES] = ".";
	int fd, rc;

	if (slash)
		snprintf(folder, sizeof(folder), "%.*s",
			 (int)(slash - path) + 1, path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

int durable_file_replace(const char *path, const void *bytes, size_t count,
			 struct error *err)
{
	char fresh[PATH_BYTES];
	int length = snprintf(fresh, sizeof(fresh), "%s.new", path);

	if (length < 0 || (size_t)length >= sizeof(fresh))
		return error_set(err, ERR_INVALID, "%s: too long", path);
	if (write_whole(fresh, bytes, count) || rename(fresh, path) ||
	    sync_folder(path))
		return error_set(err, ERR_SYSTEM, "%s: %s", path,
				 strerror(errno));
	return 0;
}
