/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The xenstore, as the rooms above see it: nodes, permissions, watches. Paths
 * are built with printf formats. Over libxenstore, or a fake for tests.
 */
#ifndef XENSTORE_STORE_H
#define XENSTORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define STORE_PATH_MAX 128
#define STORE_TOKEN_MAX 32

struct store;

int store_open(struct store **out, struct error *err);
void store_close(struct store *s);

/* All writes between begin and end become visible at once. A conflict with
 * another client gives ERR_BUSY at the end: begin anew. */
int store_begin(struct store *s, struct error *err);
int store_end(struct store *s, struct error *err);

int store_write(struct store *s, const char *path, const char *value,
		struct error *err);
int store_writef(struct store *s, const char *directory, const char *name,
		 struct error *err, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* The value, cut to size; false: no such node. */
bool store_read(struct store *s, const char *path, char *value, size_t size);
/* A decimal number; false: no such node, or no number up to 2^32. */
bool store_read_number(struct store *s, const char *directory, const char *name,
		       uint32_t *value);
void store_remove(struct store *s, const char *path);
/* Creates the node if need be, its parents too. A new node has its parent's
 * permissions. */
int store_make(struct store *s, const char *path, struct error *err);
/* The owner may do everything, the reader read. */
int store_permit(struct store *s, const char *path, uint32_t owner,
		 uint32_t reader, struct error *err);
/* Both. */
int store_own(struct store *s, const char *path, uint32_t owner,
	      uint32_t reader, struct error *err);

int store_introduce(struct store *s, uint32_t id, uint64_t ring_mfn,
		    uint32_t port, struct error *err);
void store_release(struct store *s, uint32_t id);

int store_watch(struct store *s, const char *path, const char *token,
		struct error *err);
void store_unwatch(struct store *s, const char *path, const char *token);
/* Readable when store_next_event may have something. */
int store_fd(struct store *s);
/* false: no event is waiting. Every watch fires once when it is set. */
bool store_next_event(struct store *s, char path[STORE_PATH_MAX],
		      char token[STORE_TOKEN_MAX]);

#endif
