/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a stream of server-sent events, in whatever pieces it comes. */
#ifndef CLI_SSE_H
#define CLI_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* More than any event of a node has: what is longer is no such stream. */
#define SSE_LINE_MAX_BYTES 65536

struct sse {
	/* An event has ended; id is the last one that was given, "" at first.
	 * false: no more are wanted. */
	bool (*event)(void *context, const char *id, const char *data);
	void *context;
	struct strbuf line, data;
	char id[32];
	bool has_data, after_return, stopped;
};

/* false: no more are wanted, or it is no stream of events. */
bool sse_feed(struct sse *s, const char *bytes, size_t count);
/* What an event without its end has left is dropped; the id stays. */
void sse_reset(struct sse *s);

#endif
