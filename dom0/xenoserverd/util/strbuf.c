// SPDX-License-Identifier: Apache-2.0
/* See strbuf.h. */
#include "util/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct strbuf *s, size_t more)
{
	size_t room = s->room ? s->room : 128;

	while (room - s->length <= more)
		room *= 2;
	if (room == s->room)
		return;
	s->text = realloc(s->text, room);
	if (!s->text)
		abort();
	s->room = room;
}

void strbuf_add(struct strbuf *s, const char *format, ...)
{
	va_list ap;
	int length;

	va_start(ap, format);
	length = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	make_room(s, (size_t)length);
	va_start(ap, format);
	vsnprintf(s->text + s->length, (size_t)length + 1, format, ap);
	va_end(ap);
	s->length += (size_t)length;
}

void strbuf_add_bytes(struct strbuf *s, const void *bytes, size_t count)
{
	make_room(s, count);
	memcpy(s->text + s->length, bytes, count);
	s->length += count;
	s->text[s->length] = '\0';
}

void strbuf_clear(struct strbuf *s)
{
	free(s->text);
	*s = (struct strbuf){ .text = NULL };
}
