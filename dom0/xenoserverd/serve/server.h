/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resident process: what has to live on when the tool that asked for it
 * has ended, lives here. Clients come through a Unix socket.
 *
 * A request is a 32-bit length in this machine's byte order, and that many
 * bytes: words, each ended by a NUL. The answer is a line "ok" or
 * "error CODE: TEXT" and what the verb prints, up to the end of the stream. The
 * verb "console DOMAIN" is answered by "ok" and then the stream is the console.
 */
#ifndef SERVE_SERVER_H
#define SERVE_SERVER_H

#include "serve/guests.h"
#include "serve/reactor.h"
#include "util/error.h"

/* All rules that there may be, with comments. */
#define SERVER_REQUEST_MAX (1 << 20)

struct server_options {
	const char *socket_path;
	const char *log_folder;   /* NULL: consoles have no files */
	const char *lease_folder; /* of network/leases.h; NULL: none */
	/* What else is to be opened, once guests are adopted and before the
	 * reactor runs; NULL: nothing. */
	int (*extend)(void *context, struct reactor *reactor,
		      struct guests *guests, struct error *err);
	void *extend_context;
};

/* Until SIGTERM or SIGINT. Domains go on without it, also when it is killed:
 * the next one goes on with them. What it has to know is in SOCKET.domains. */
int server_run(const struct server_options *o, struct error *err);

#endif
