// SPDX-License-Identifier: Apache-2.0
/* See sse.h. Only the fields id and data are of use here. */
#include "sse.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const struct strbuf *s)
{
	return s->text ? s->text : "";
}

/* The buffer keeps its room. */
static void empty(struct strbuf *s)
{
	s->length = 0;
	if (s->text)
		*s->text = '\0';
}

static void end_event(struct sse *s)
{
	if (s->has_data && !s->event(s->context, s->id, text_of(&s->data)))
		s->stopped = true;
	empty(&s->data);
	s->has_data = false;
}

static void end_line(struct sse *s)
{
	const char *line = text_of(&s->line);
	size_t name = strcspn(line, ":");
	const char *value = line + name + (line[name] == ':');

	value += *value == ' ';
	if (!*line) {
		end_event(s);
	} else if (name == 4 && memcmp(line, "data", 4) == 0) {
		strbuf_add(&s->data, "%s%s", s->has_data ? "\n" : "", value);
		s->has_data = true;
	} else if (name == 2 && memcmp(line, "id", 2) == 0 &&
		   strlen(value) < sizeof(s->id)) {
		snprintf(s->id, sizeof(s->id), "%s", value);
	}
	empty(&s->line);
}

bool sse_feed(struct sse *s, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count && !s->stopped; i++) {
		bool second = s->after_return && bytes[i] == '\n';

		s->after_return = bytes[i] == '\r';
		if (second)
			continue;
		if (bytes[i] == '\n' || bytes[i] == '\r')
			end_line(s);
		else if (s->line.length + s->data.length < SSE_LINE_MAX_BYTES)
			strbuf_add_bytes(&s->line, &bytes[i], 1);
		else
			s->stopped = true;
	}
	return !s->stopped;
}

void sse_reset(struct sse *s)
{
	empty(&s->line);
	empty(&s->data);
	s->has_data = false;
	s->after_return = false;
}
