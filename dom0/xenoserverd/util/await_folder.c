// SPDX-License-Identifier: Apache-2.0
/* See await_folder.h. The kernel says that mounts have changed by an
 * exceptional condition of their list. */
#include "util/await_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define MOUNTS "/proc/self/mounts"

int await_folder_of(const char *path, struct error *err)
{
	int auto_close fd = open(MOUNTS, O_RDONLY | O_CLOEXEC);
	const char *slash = strrchr(path, '/');
	struct pollfd mounts = { .fd = fd, .events = POLLPRI };
	char folder[512];

	if (!slash || slash == path)
		return 0;
	if (fd < 0)
		return error_set(err, ERR_SYSTEM, MOUNTS ": %s",
				 strerror(errno));
	if (snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path),
		     path) >= (int)sizeof(folder))
		return error_set(err, ERR_INVALID, "%.60s: too long", path);
	/* What is mounted after the list was opened is told of. */
	while (access(folder, X_OK))
		if (poll(&mounts, 1, -1) < 0 && errno != EINTR)
			return error_set(err, ERR_SYSTEM, MOUNTS ": %s",
					 strerror(errno));
	return 0;
}
