/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Consoles over WebSockets: one thread carries bytes between the sockets of the
 * machine and those of clients, and waits for nobody. A client that does not
 * read, or does not answer, is dropped.
 */
#ifndef API_SESSIONS_H
#define API_SESSIONS_H

#include <microhttpd.h>
#include <stdbool.h>

#include "util/error.h"

struct sessions;

int sessions_open(struct sessions **out, struct error *err);
/* Ends all, and each that comes, at once: before the doors are closed that they
 * came through. NULL: nothing. */
void sessions_end(struct sessions *all);
/* After the doors. NULL: nothing. */
void sessions_close(struct sessions *all);

/* A place for one more; false: there is none. Each is used or given back. */
bool sessions_reserve(struct sessions *all);
void sessions_give_back(struct sessions *all);

struct session_start {
	int machine_fd; /* becomes the session's */
	int client_fd;  /* the handle's */
	struct MHD_UpgradeResponseHandle *handle;
	bool writes;       /* what it sends is typed */
	const void *early; /* what it has sent already */
	size_t early_bytes;
	char name[32]; /* the request's, for the log */
};

/* Uses a place that was reserved. */
void sessions_start(struct sessions *all, const struct session_start *s);

#endif
