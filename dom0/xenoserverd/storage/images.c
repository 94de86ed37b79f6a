// SPDX-License-Identifier: Apache-2.0
/* See images.h. */
#include "storage/images.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define PATH_BYTES 512
#define PIECE_BYTES (64 * 1024)
/* Of the name of an upload: a dot, and this at its end. */
#define UPLOAD ".upload"

static const char *const kinds[IMAGE_KINDS] = {
	[IMAGE_BOOT] = "boot",
	[IMAGE_DISK] = "disk",
};

const char *image_kind_word(enum image_kind k)
{
	return kinds[k];
}

bool image_kind_parse(enum image_kind *out, const char *word)
{
	for (unsigned int i = 0; i < IMAGE_KINDS; i++)
		if (strcmp(word, kinds[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

bool image_same(const struct image *a, const struct image *b)
{
	return strcmp(a->name, b->name) == 0 && a->bytes == b->bytes &&
	       a->modified_ns == b->modified_ns && a->inode == b->inode;
}

static int fail(const char *name, struct error *err)
{
	return error_set(err, errno == ENOSPC ? ERR_NO_MEMORY : ERR_SYSTEM,
			 "%.80s: %s", name, strerror(errno));
}

static int path_of(char out[PATH_BYTES], const char *folder, const char *name,
		   struct error *err)
{
	if (!name_valid(name, SPEC_FILE_MAX - 1))
		return error_set(err, ERR_NOT_FOUND, "no image %.60s", name);
	if (snprintf(out, PATH_BYTES, "%s/%s", folder, name) >= PATH_BYTES)
		return error_set(err, ERR_SYSTEM, "%.80s: too long", folder);
	return 0;
}

static void fill(struct image *out, const char *name, const struct stat *st)
{
	*out = (struct image){
		.bytes = (uint64_t)st->st_size,
		.modified_ns =
			st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec,
		.inode = st->st_ino,
	};
	snprintf(out->name, sizeof(out->name), "%s", name);
}

int image_find(const char *folder, const char *name, struct image *out,
	       struct error *err)
{
	char path[PATH_BYTES];
	struct stat st;

	if (path_of(path, folder, name, err))
		return -1;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return error_set(err, ERR_NOT_FOUND, "no image %s", name);
	fill(out, name, &st);
	return 0;
}

static int sync_folder(const char *folder)
{
	int auto_close fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -1 : fsync(fd);
}

int image_remove(const char *folder, const char *name, struct error *err)
{
	char path[PATH_BYTES];

	if (path_of(path, folder, name, err))
		return -1;
	if (unlink(path) && errno == ENOENT)
		return error_set(err, ERR_NOT_FOUND, "no image %s", name);
	return sync_folder(folder) ? fail(name, err) : 0;
}

static int add(struct image **list, int count, const struct image *image,
	       struct error *err)
{
	struct image *more;

	/* Room for twice as many whenever it is full. */
	if ((count & (count - 1)) == 0) {
		more = reallocarray(*list, count ? 2 * (size_t)count : 1,
				    sizeof(*more));
		if (!more)
			return error_set(err, ERR_SYSTEM, "no memory");
		*list = more;
	}
	(*list)[count] = *image;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct image *)a)->name,
		      ((const struct image *)b)->name);
}

int images_list(const char *folder, struct image **out, struct error *err)
{
	DIR *d = opendir(folder);
	struct error ignored;
	struct dirent *e;
	int count = 0;

	*out = NULL;
	if (!d)
		return errno == ENOENT ? 0 : fail(folder, err);
	while ((e = readdir(d))) {
		struct image image;

		if (image_find(folder, e->d_name, &image, &ignored))
			continue;
		if (add(out, count, &image, err)) {
			closedir(d);
			free(*out);
			return -1;
		}
		count++;
	}
	closedir(d);
	if (count)
		qsort(*out, (size_t)count, sizeof(**out), by_name);
	return count;
}

static void finish_digest(struct sha256_ctx *c, char digest[DIGEST_MAX])
{
	uint8_t sum[SHA256_DIGEST_SIZE];

	sha256_digest(c, sizeof(sum), sum);
	digest_text(digest, sum);
}

static int read_digest(int fd, struct sha256_ctx *c, uint8_t *piece,
		       const atomic_bool *stop)
{
	ssize_t n;

	while (!atomic_load(stop) && (n = read(fd, piece, PIECE_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		sha256_update(c, (size_t)n, piece);
	}
	errno = EINTR;
	return atomic_load(stop) ? -1 : 0;
}

int image_digest(const char *folder, struct image *image,
		 char digest[DIGEST_MAX], const atomic_bool *stop,
		 struct error *err)
{
	char path[PATH_BYTES], name[SPEC_FILE_MAX];
	uint8_t piece[PIECE_BYTES];
	struct sha256_ctx c;
	struct stat st;
	int auto_close fd = -1;

	memcpy(name, image->name, sizeof(name));
	if (path_of(path, folder, name, err))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return fail(name, err);
	fill(image, name, &st);
	sha256_init(&c);
	if (read_digest(fd, &c, piece, stop))
		return fail(name, err);
	finish_digest(&c, digest);
	return 0;
}

struct image_upload {
	char folder[PATH_BYTES], path[PATH_BYTES], unfinished[PATH_BYTES];
	char name[SPEC_FILE_MAX];
	int fd;
	struct sha256_ctx digest;
};

int image_upload_open(struct image_upload **out, const char *folder,
		      const char *name, const char *number, struct error *err)
{
	struct image_upload *u = calloc(1, sizeof(*u));

	if (!u)
		return error_set(err, ERR_SYSTEM, "no memory");
	u->fd = -1;
	sha256_init(&u->digest);
	snprintf(u->folder, sizeof(u->folder), "%s", folder);
	snprintf(u->name, sizeof(u->name), "%s", name);
	if (path_of(u->path, folder, name, err) ||
	    snprintf(u->unfinished, sizeof(u->unfinished), "%s/.%s" UPLOAD,
		     folder, number) >= (int)sizeof(u->unfinished)) {
		free(u);
		return -1;
	}
	u->fd = open(u->unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		     0600);
	if (u->fd < 0) {
		fail(folder, err);
		free(u);
		return -1;
	}
	*out = u;
	return 0;
}

int image_upload_write(struct image_upload *u, const void *bytes, size_t count,
		       struct error *err)
{
	const char *at = bytes;

	sha256_update(&u->digest, count, bytes);
	while (count) {
		ssize_t n = write(u->fd, at, count);

		if (n < 0 && errno != EINTR)
			return fail(u->name, err);
		if (n > 0) {
			at += n;
			count -= (size_t)n;
		}
	}
	return 0;
}

int image_upload_sync(struct image_upload *u, struct error *err)
{
	return fsync(u->fd) ? fail(u->name, err) : 0;
}

int image_upload_finish(struct image_upload *u, struct image *out,
			char digest[DIGEST_MAX], struct error *err)
{
	struct stat st;

	if (fstat(u->fd, &st) || rename(u->unfinished, u->path))
		return fail(u->name, err);
	*u->unfinished = '\0';
	if (sync_folder(u->folder))
		return fail(u->name, err);
	fill(out, u->name, &st);
	finish_digest(&u->digest, digest);
	return 0;
}

void image_upload_close(struct image_upload *u)
{
	if (!u)
		return;
	if (*u->unfinished)
		unlink(u->unfinished);
	close(u->fd);
	free(u);
}

bool images_have_room(const char *folder, uint64_t bytes)
{
	struct statvfs left;

	return statvfs(folder, &left) ||
	       bytes <= (uint64_t)left.f_bavail * left.f_frsize;
}

void images_clean(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		size_t length = strlen(e->d_name);

		if (*e->d_name == '.' && length > strlen(UPLOAD) &&
		    strcmp(e->d_name + length - strlen(UPLOAD), UPLOAD) == 0)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}
