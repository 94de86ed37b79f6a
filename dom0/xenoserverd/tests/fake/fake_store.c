// SPDX-License-Identifier: Apache-2.0
/* See fake_store.h. */
#include "fake_store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../unit/unit.h"

static unsigned int find(const struct store *s, const char *path)
{
	unsigned int i = 0;

	while (i < s->count && strcmp(s->nodes[i].path, path) != 0)
		i++;
	return i;
}

/* A new node has the permissions of the nearest above it. */
static void inherit(struct store *s, unsigned int i)
{
	char above[sizeof(s->nodes[i].path)];
	char *slash;

	snprintf(above, sizeof(above), "%s", s->nodes[i].path);
	while ((slash = strrchr(above, '/')) != NULL) {
		unsigned int a;

		*slash = '\0';
		a = find(s, above);
		if (a < s->count) {
			s->nodes[i].owner = s->nodes[a].owner;
			s->nodes[i].reader = s->nodes[a].reader;
			return;
		}
	}
}

static unsigned int make(struct store *s, const char *path)
{
	unsigned int i = find(s, path);

	if (i == s->count) {
		assert_true(++s->count <= FAKE_NODES_MAX);
		memset(&s->nodes[i], 0, sizeof(s->nodes[i]));
		snprintf(s->nodes[i].path, sizeof(s->nodes[i].path), "%s",
			 path);
		inherit(s, i);
	}
	return i;
}

const char *fake_value(struct store *s, const char *path)
{
	unsigned int i = find(s, path);

	return i < s->count ? s->nodes[i].value : NULL;
}

uint32_t fake_owner(struct store *s, const char *path)
{
	unsigned int i = find(s, path);

	return i < s->count ? s->nodes[i].owner : 9999;
}

int store_write(struct store *s, const char *path, const char *value,
		struct error *err)
{
	unsigned int i = make(s, path);

	(void)err;
	snprintf(s->nodes[i].value, sizeof(s->nodes[i].value), "%s", value);
	return 0;
}

int store_writef(struct store *s, const char *directory, const char *name,
		 struct error *err, const char *format, ...)
{
	char path[STORE_PATH_MAX + 64], value[STORE_PATH_MAX];
	va_list ap;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	va_start(ap, format);
	vsnprintf(value, sizeof(value), format, ap);
	va_end(ap);
	return store_write(s, path, value, err);
}

bool store_read(struct store *s, const char *path, char *value, size_t size)
{
	const char *found = fake_value(s, path);

	if (found)
		snprintf(value, size, "%s", found);
	return found;
}

bool store_read_number(struct store *s, const char *directory, const char *name,
		       uint32_t *value)
{
	char path[STORE_PATH_MAX + 64], text[16];
	char *end;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (!store_read(s, path, text, sizeof(text)) || !*text)
		return false;
	*value = (uint32_t)strtoul(text, &end, 10);
	return *end == '\0';
}

void store_remove(struct store *s, const char *path)
{
	size_t length = strlen(path);

	for (unsigned int i = 0; i < s->count;)
		if (strncmp(s->nodes[i].path, path, length) == 0)
			s->nodes[i] = s->nodes[--s->count];
		else
			i++;
}

int store_make(struct store *s, const char *path, struct error *err)
{
	(void)err;
	make(s, path);
	return 0;
}

int store_own(struct store *s, const char *path, uint32_t owner,
	      uint32_t reader, struct error *err)
{
	return store_permit(s, path, owner, reader, err);
}

int store_permit(struct store *s, const char *path, uint32_t owner,
		 uint32_t reader, struct error *err)
{
	unsigned int i = make(s, path);

	(void)err;
	s->nodes[i].owner = owner;
	s->nodes[i].reader = reader;
	return 0;
}

int store_watch(struct store *s, const char *path, const char *token,
		struct error *err)
{
	(void)path;
	(void)token;
	(void)err;
	s->watches++;
	return 0;
}

void store_unwatch(struct store *s, const char *path, const char *token)
{
	(void)path;
	(void)token;
	s->watches--;
}

int store_introduce(struct store *s, uint32_t id, uint64_t ring_mfn,
		    uint32_t port, struct error *err)
{
	(void)s;
	(void)id;
	(void)ring_mfn;
	(void)port;
	(void)err;
	return 0;
}

void store_release(struct store *s, uint32_t id)
{
	(void)s;
	(void)id;
}
