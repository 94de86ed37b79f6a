// SPDX-License-Identifier: Apache-2.0
/* See image_cache.h. */
#include "api/image_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

struct entry {
	struct entry *next;
	enum image_kind kind;
	struct image image;
	char digest[DIGEST_MAX]; /* "": wanted */
};

struct image_cache {
	struct api *api;
	pthread_t thread;
	atomic_bool close;
	pthread_mutex_t names;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t wanted;
	struct entry *first;
};

static struct entry **place(struct image_cache *c, enum image_kind kind,
			    const char *name)
{
	struct entry **at = &c->first;

	while (*at &&
	       ((*at)->kind != kind || strcmp((*at)->image.name, name) != 0))
		at = &(*at)->next;
	return at;
}

/* The image's, new if need be, with the lock held. NULL: no memory. */
static struct entry *entry_of(struct image_cache *c, enum image_kind kind,
			      const struct image *image)
{
	struct entry **at = place(c, kind, image->name);

	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (!*at)
			return NULL;
		(*at)->kind = kind;
	}
	if (!image_same(&(*at)->image, image)) {
		(*at)->image = *image;
		*(*at)->digest = '\0';
	}
	return *at;
}

bool image_cache_digest(struct image_cache *c, enum image_kind kind,
			const struct image *image, char digest[DIGEST_MAX])
{
	struct entry *e;
	bool known;

	pthread_mutex_lock(&c->mutex);
	e = entry_of(c, kind, image);
	known = e && *e->digest;
	if (known)
		memcpy(digest, e->digest, DIGEST_MAX);
	else
		pthread_cond_signal(&c->wanted);
	pthread_mutex_unlock(&c->mutex);
	return known;
}

void image_cache_put(struct image_cache *c, enum image_kind kind,
		     const struct image *image, const char digest[DIGEST_MAX])
{
	struct entry *e;

	pthread_mutex_lock(&c->mutex);
	e = entry_of(c, kind, image);
	if (e)
		memcpy(e->digest, digest, DIGEST_MAX);
	pthread_mutex_unlock(&c->mutex);
}

/* What cannot be read is asked for again, if somebody still wants it. */
static void drop(struct image_cache *c, enum image_kind kind, const char *name)
{
	struct entry **at, *e;

	pthread_mutex_lock(&c->mutex);
	at = place(c, kind, name);
	e = *at;
	if (e) {
		*at = e->next;
		free(e);
	}
	pthread_mutex_unlock(&c->mutex);
}

/* The next that is wanted; false: to end. */
static bool next(struct image_cache *c, struct entry *out)
{
	struct entry *e = NULL;

	pthread_mutex_lock(&c->mutex);
	while (!atomic_load(&c->close)) {
		for (e = c->first; e && *e->digest; e = e->next)
			;
		if (e)
			break;
		pthread_cond_wait(&c->wanted, &c->mutex);
	}
	if (e)
		*out = *e;
	pthread_mutex_unlock(&c->mutex);
	return e;
}

static void *serve(void *context)
{
	struct image_cache *c = context;
	struct entry e = { .next = NULL };

	while (next(c, &e)) {
		const char *folder = c->api->options.image_folders[e.kind];
		struct error err;

		if (image_digest(folder, &e.image, e.digest, &c->close, &err)) {
			if (!atomic_load(&c->close))
				log_warning("op=image.digest message=\"%s\"",
					    err.message);
			drop(c, e.kind, e.image.name);
		} else {
			image_cache_put(c, e.kind, &e.image, e.digest);
		}
		hub_wake(c->api->hub);
	}
	return NULL;
}

int image_cache_open(struct image_cache **out, struct api *api,
		     struct error *err)
{
	struct image_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return error_set(err, ERR_SYSTEM, "no memory");
	c->api = api;
	pthread_mutex_init(&c->names, NULL);
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->wanted, NULL);
	for (unsigned int i = 0; i < IMAGE_KINDS; i++)
		if (api->options.image_folders[i])
			images_clean(api->options.image_folders[i]);
	if (pthread_create(&c->thread, NULL, serve, c)) {
		free(c);
		return error_set(err, ERR_SYSTEM, "no thread");
	}
	*out = c;
	return 0;
}

void image_cache_close(struct image_cache *c)
{
	struct entry *e;

	if (!c)
		return;
	pthread_mutex_lock(&c->mutex);
	atomic_store(&c->close, true);
	pthread_cond_signal(&c->wanted);
	pthread_mutex_unlock(&c->mutex);
	pthread_join(c->thread, NULL);
	while ((e = c->first)) {
		c->first = e->next;
		free(e);
	}
	pthread_cond_destroy(&c->wanted);
	pthread_mutex_destroy(&c->mutex);
	pthread_mutex_destroy(&c->names);
	free(c);
}

void image_names_lock(struct image_cache *c)
{
	pthread_mutex_lock(&c->names);
}

void image_names_unlock(struct image_cache *c)
{
	pthread_mutex_unlock(&c->names);
}
