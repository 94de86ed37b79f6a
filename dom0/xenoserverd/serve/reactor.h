/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for files to become readable, and says so to their owners, one after
 * the other, in one thread. */
#ifndef SERVE_REACTOR_H
#define SERVE_REACTOR_H

#include <stdbool.h>

#include "util/error.h"

struct reactor;

/* Kept by whoever owns the file, at one place while it is added. */
struct reactor_source {
	int fd;
	void (*readable)(struct reactor_source *source);
	void *owner;
};

int reactor_open(struct reactor **out, struct error *err);
void reactor_close(struct reactor *r);
int reactor_add(struct reactor *r, struct reactor_source *s, struct error *err);
/* Also from within a call, of any source. */
void reactor_remove(struct reactor *r, struct reactor_source *s);
/* Until reactor_stop. */
int reactor_run(struct reactor *r, struct error *err);
void reactor_stop(struct reactor *r);

#endif
