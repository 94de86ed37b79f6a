/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows. Running out of memory ends the program: what is built
 * here is small. */
#ifndef UTIL_STRBUF_H
#define UTIL_STRBUF_H

#include <stddef.h>

struct strbuf {
	char *text; /* NUL-terminated once anything was added; else NULL */
	size_t length, room;
};

void strbuf_add(struct strbuf *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t count);
void strbuf_clear(struct strbuf *s);

#endif
