/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consoles of domains: what they print is kept (the last part in memory,
 * more of it in a file if there is a folder for that, see console_log.h) and
 * goes to who is attached and to who watches; what is typed goes in.
 */
#ifndef CONSOLE_CONSOLE_H
#define CONSOLE_CONSOLE_H

#include "console/watchers.h"
#include "hv/hv.h"

#define CONSOLE_KEPT_BYTES 16384

struct console {
	struct hv *hv;
	void *ring; /* NULL: closed */
	uint32_t port;
	int log_fd;    /* -1: none */
	int viewer_fd; /* of who is attached; -1: nobody */
	struct watchers watchers;
	size_t written; /* bytes ever; the last ones are in kept */
	char kept[CONSOLE_KEPT_BYTES];
};

/* folder "" or NULL: no file. A file that is there is gone on with, and its end
 * counts as kept. */
int console_open(struct console *c, struct hv *hv, uint32_t id,
		 uint32_t remote_port, const char *folder, const char *name,
		 struct error *err);
void console_close(struct console *c);
/* After an event of c->port. */
void console_serve(struct console *c);
/* Sends what is kept; replaces who was attached, who is only forgotten. */
void console_attach(struct console *c, int fd);
/* Sends what is kept, and what comes. false: there are enough who watch. */
bool console_watch(struct console *c, int fd);
void console_type(struct console *c, const char *bytes, size_t count);

#endif
