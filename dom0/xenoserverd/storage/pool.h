/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of volumes: files HANDLE.DEVICE of a folder. A volume is written in
 * full when it is made, with an image's bytes and zeros behind them, so that
 * all of its blocks have a place and show nothing of who had them before. It
 * gets its name when it is whole: what has a name can be used.
 */
#ifndef STORAGE_POOL_H
#define STORAGE_POOL_H

#include <stdint.h>

#include "util/error.h"

struct pool {
	const char *folder;
	const char *images; /* the folder of images */
};

/* image "": zeros only. One that is there with this size is kept; another size
 * is ERR_EXISTS, an image larger than it ERR_INVALID. */
int pool_create(const struct pool *p, const char *handle, const char *device,
		uint64_t size_bytes, const char *image, struct error *err);
/* One that is not there is no error. */
int pool_remove(const struct pool *p, const char *handle, const char *device,
		struct error *err);
/* What is new is written with zeros. Cut short, it is repeated with the same
 * sizes; what fails leaves the old one. */
int pool_grow(const struct pool *p, const char *handle, const char *device,
	      uint64_t old_bytes, uint64_t new_bytes, struct error *err);
/* Of all volumes that are there, and of what the file system has left. */
int pool_size(const struct pool *p, uint64_t *bytes, struct error *err);

#endif
