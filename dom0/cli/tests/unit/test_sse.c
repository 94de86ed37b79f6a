// SPDX-License-Identifier: Apache-2.0
/* Streams of events, in pieces. */
#include "../../sse.h"
#include "unit.h"

static char seen[512];
static int wanted;

static bool note(void *context, const char *id, const char *data)
{
	size_t length = strlen(seen);

	(void)context;
	snprintf(seen + length, sizeof(seen) - length, "[%s|%s]", id, data);
	return --wanted != 0;
}

static void feed(const char *text, size_t piece, const char *expected)
{
	struct sse s = { .event = note };
	size_t length = strlen(text);

	seen[0] = '\0';
	for (size_t i = 0; i < length; i += piece)
		if (!sse_feed(&s, text + i,
			      piece < length - i ? piece : length - i))
			break;
	assert_string_equal(seen, expected);
	strbuf_clear(&s.line);
	strbuf_clear(&s.data);
}

static void streams(void **state)
{
	static const char text[] =
		": hello\n\nid: 7\nevent: x\ndata: a\ndata:b\n"
		"\ndata: c\r\n\r\nid: 8\rdata\r\rid:9\n\n"
		"data: cut";

	(void)state;
	for (size_t piece = 1; piece < sizeof(text); piece++) {
		wanted = 0;
		feed(text, piece, "[7|a\nb][7|c][8|]");
	}
}

static void stops(void **state)
{
	(void)state;
	wanted = 2;
	feed("data: 1\n\ndata: 2\n\ndata: 3\n\n", 100, "[|1][|2]");
}

static void too_long(void **state)
{
	struct sse s = { .event = note };
	char block[4096];
	int blocks = 0;

	(void)state;
	memset(block, 'x', sizeof(block));
	while (blocks < 100 && sse_feed(&s, block, sizeof(block)))
		blocks++;
	assert_int_equal(blocks, SSE_LINE_MAX_BYTES / 4096);
	strbuf_clear(&s.line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams),
		cmocka_unit_test(stops),
		cmocka_unit_test(too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
