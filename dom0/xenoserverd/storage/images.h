/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operator's files that domains are made of: kernels and ramdisks in one
 * folder, images of disks in another. A file gets its name when it is whole and
 * on the disk; what an upload has left that was cut short has a name that no
 * image can have, and is removed at the next start.
 */
#ifndef STORAGE_IMAGES_H
#define STORAGE_IMAGES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/domain_spec.h"
#include "util/digest.h"
#include "util/error.h"

#define IMAGE_MOST_BYTES (16ULL << 30)

enum image_kind { IMAGE_BOOT, IMAGE_DISK, IMAGE_KINDS };

const char *image_kind_word(enum image_kind k);
bool image_kind_parse(enum image_kind *out, const char *word);

struct image {
	char name[SPEC_FILE_MAX];
	uint64_t bytes;
	/* Of another file, one of these is another. */
	int64_t modified_ns;
	uint64_t inode;
};

bool image_same(const struct image *a, const struct image *b);

/* ERR_NOT_FOUND. */
int image_find(const char *folder, const char *name, struct image *out,
	       struct error *err);
int image_remove(const char *folder, const char *name, struct error *err);
/* All of a folder by name, for free(): how many; -1: failed. */
int images_list(const char *folder, struct image **out, struct error *err);
/* Of the file as it is, which *image gets; given up when *stop is true. */
int image_digest(const char *folder, struct image *image,
		 char digest[DIGEST_MAX], const atomic_bool *stop,
		 struct error *err);

struct image_upload;

/* number: one that no other upload has. */
int image_upload_open(struct image_upload **out, const char *folder,
		      const char *name, const char *number, struct error *err);
/* ERR_NO_MEMORY: there is no room. */
int image_upload_write(struct image_upload *u, const void *bytes, size_t count,
		       struct error *err);
/* All of it is on the disk. Slow. */
int image_upload_sync(struct image_upload *u, struct error *err);
/* After that: it has its name now. */
int image_upload_finish(struct image_upload *u, struct image *out,
			char digest[DIGEST_MAX], struct error *err);
/* What is not finished leaves nothing. NULL: nothing. */
void image_upload_close(struct image_upload *u);
/* Whether so many bytes have room in the folder. */
bool images_have_room(const char *folder, uint64_t bytes);
/* Removes what uploads have left. */
void images_clean(const char *folder);

#endif
