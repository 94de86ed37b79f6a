/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digests of images, each found out once for as long as its file is the
 * same. Who asks does not wait: a thread of its own reads the files, one after
 * the other, and wakes the hub with each.
 */
#ifndef API_IMAGE_CACHE_H
#define API_IMAGE_CACHE_H

#include "api/api.h"
#include "storage/images.h"

struct image_cache;

int image_cache_open(struct image_cache **out, struct api *api,
		     struct error *err);
/* NULL: nothing. */
void image_cache_close(struct image_cache *c);

/* false: not known yet; it is being found out. */
bool image_cache_digest(struct image_cache *c, enum image_kind kind,
			const struct image *image, char digest[DIGEST_MAX]);
/* It is known, to who has just written the file. */
void image_cache_put(struct image_cache *c, enum image_kind kind,
		     const struct image *image, const char digest[DIGEST_MAX]);

/* Held between a look at who has a name, and giving it to another. Nothing is
 * asked of the cache with it. */
void image_names_lock(struct image_cache *c);
void image_names_unlock(struct image_cache *c);

#endif
