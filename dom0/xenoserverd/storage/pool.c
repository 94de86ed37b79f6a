// SPDX-License-Identifier: Apache-2.0
/* See pool.h. */
#include "storage/pool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define PATH_BYTES 512
#define PIECE_BYTES 65536U
/* Of a volume that is being made. */
#define UNFINISHED ".unfinished"

static int fail(const char *path, struct error *err)
{
	return error_set(err, ERR_SYSTEM, "%.120s: %s", path, strerror(errno));
}

static int path_of(char out[PATH_BYTES], const char *folder, const char *name,
		   const char *tail, struct error *err)
{
	if (snprintf(out, PATH_BYTES, "%s/%s%s", folder, name, tail) <
	    PATH_BYTES)
		return 0;
	return error_set(err, ERR_INVALID, "%.60s: the path is too long", name);
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno != EINTR)
			return -1;
		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		}
	}
	return 0;
}

/* image < 0: none. */
static int fill(int fd, int image, uint64_t size_bytes, char *piece)
{
	while (size_bytes) {
		size_t count = size_bytes < PIECE_BYTES ? (size_t)size_bytes
							: PIECE_BYTES;
		ssize_t got = image < 0 ? 0 : read(image, piece, count);

		if (got < 0)
			return -1;
		if (got == 0) {
			image = -1;
			memset(piece, 0, PIECE_BYTES);
			got = (ssize_t)count;
		}
		if (write_all(fd, piece, (size_t)got))
			return -1;
		size_bytes -= (uint64_t)got;
	}
	return fsync(fd);
}

static int sync_folder(const char *folder)
{
	int auto_close fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

/* -1: no image; -2: failed. */
static int open_image(const struct pool *p, const char *image,
		      uint64_t size_bytes, struct error *err)
{
	char path[PATH_BYTES];
	struct stat st;
	int fd;

	if (!*image)
		return -1;
	if (path_of(path, p->images, image, "", err))
		return -2;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		error_fill(err, ERR_NOT_FOUND, "no image %s", image);
	} else if ((uint64_t)st.st_size > size_bytes) {
		error_fill(
			err, ERR_INVALID,
			"image %s has %lld bytes, and the disk only %" PRIu64,
			image, (long long)st.st_size, size_bytes);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -2;
}

static int make(const struct pool *p, const char *path, const char *unfinished,
		uint64_t size_bytes, int image, struct error *err)
{
	int auto_close fd = open(
		unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char piece[PIECE_BYTES];

	if (fd < 0)
		return fail(unfinished, err);
	/* Early, in as few pieces as there can be. */
	errno = posix_fallocate(fd, 0, (off_t)size_bytes);
	if (errno || fill(fd, image, size_bytes, piece) ||
	    rename(unfinished, path) || sync_folder(p->folder)) {
		fail(path, err);
		unlink(unfinished);
		return -1;
	}
	/* The guest's disk goes past Domain 0, whose copies of the blocks would
	 * only take memory and grow old. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

int pool_create(const struct pool *p, const char *handle, const char *device,
		uint64_t size_bytes, const char *image, struct error *err)
{
	char name[64], path[PATH_BYTES], unfinished[PATH_BYTES];
	struct stat st;
	int fd, rc;

	snprintf(name, sizeof(name), "%s.%s", handle, device);
	if (path_of(path, p->folder, name, "", err) ||
	    path_of(unfinished, p->folder, name, UNFINISHED, err))
		return -1;
	if (stat(path, &st) == 0) {
		if ((uint64_t)st.st_size == size_bytes)
			return 0;
		return error_set(err, ERR_EXISTS,
				 "volume %s is there with another size", name);
	}
	fd = open_image(p, image, size_bytes, err);
	if (fd == -2)
		return -1;
	rc = make(p, path, unfinished, size_bytes, fd, err);
	if (fd >= 0)
		close(fd);
	return rc;
}

int pool_remove(const struct pool *p, const char *handle, const char *device,
		struct error *err)
{
	static const char *const tails[] = { "", UNFINISHED };
	char name[64], path[PATH_BYTES];

	snprintf(name, sizeof(name), "%s.%s", handle, device);
	for (int i = 0; i < 2; i++)
		if (path_of(path, p->folder, name, tails[i], err) ||
		    (unlink(path) && errno != ENOENT && fail(path, err)))
			return -1;
	return 0;
}

int pool_grow(const struct pool *p, const char *handle, const char *device,
	      uint64_t old_bytes, uint64_t new_bytes, struct error *err)
{
	char name[64], path[PATH_BYTES], piece[PIECE_BYTES];
	int auto_close fd = -1;

	if (new_bytes <= old_bytes)
		return 0;
	snprintf(name, sizeof(name), "%s.%s", handle, device);
	if (path_of(path, p->folder, name, "", err))
		return -1;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(path, err);
	errno = posix_fallocate(fd, (off_t)old_bytes,
				(off_t)(new_bytes - old_bytes));
	if (errno || lseek(fd, (off_t)old_bytes, SEEK_SET) < 0 ||
	    fill(fd, -1, new_bytes - old_bytes, piece)) {
		fail(path, err);
		/* It stays longer than it is said to be, at worst. */
		if (ftruncate(fd, (off_t)old_bytes))
			error_prefix(err, "not cut to its old size");
		return -1;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

int pool_size(const struct pool *p, uint64_t *bytes, struct error *err)
{
	DIR *folder = opendir(p->folder);
	struct statvfs left;
	struct dirent *e;

	if (!folder)
		return fail(p->folder, err);
	if (fstatvfs(dirfd(folder), &left)) {
		closedir(folder);
		return fail(p->folder, err);
	}
	*bytes = (uint64_t)left.f_bavail * left.f_frsize;
	while ((e = readdir(folder))) {
		struct stat st;

		if ((strncmp(e->d_name, "dom_", 4) == 0 ||
		     strncmp(e->d_name, "vol_", 4) == 0) &&
		    fstatat(dirfd(folder), e->d_name, &st, 0) == 0)
			*bytes += (uint64_t)st.st_blocks * 512;
	}
	closedir(folder);
	return 0;
}
