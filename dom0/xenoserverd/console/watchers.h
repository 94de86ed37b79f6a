/* SPDX-License-Identifier: Apache-2.0 */
/* Who watches a console: sockets that belong to somebody else, who hears of the
 * end by the end of the stream. Nobody is waited for: who does not read is no
 * watcher any more. */
#ifndef CONSOLE_WATCHERS_H
#define CONSOLE_WATCHERS_H

#include <stdbool.h>
#include <stddef.h>

#define WATCHERS_MAX 8

/* All zeros: nobody. */
struct watchers {
	unsigned int count;
	int fds[WATCHERS_MAX];
};

/* false: there are enough. */
bool watchers_add(struct watchers *w, int fd);
/* One that is not there is no error. */
void watchers_remove(struct watchers *w, int fd);
void watchers_show(struct watchers *w, const char *bytes, size_t count);
/* There is nothing more to see. */
void watchers_end(struct watchers *w);

#endif
