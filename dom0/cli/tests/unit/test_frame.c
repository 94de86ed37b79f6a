// SPDX-License-Identifier: Apache-2.0
/* Frames of a WebSocket. */
#include "../../frame.h"
#include "unit.h"

static char seen[400000];
static size_t seen_bytes;

static void note(const char *bytes, size_t count)
{
	memcpy(seen + seen_bytes, bytes, count);
	seen_bytes += count;
}

static void data(void *context, const char *bytes, size_t count)
{
	(void)context;
	note(bytes, count);
}

static void control(void *context, unsigned int opcode, const char *bytes,
		    size_t count)
{
	char head[16];

	(void)context;
	snprintf(head, sizeof(head), "<%u:", opcode);
	note(head, strlen(head));
	note(bytes, count);
	note(">", 1);
}

static bool feed(const char *bytes, size_t count, size_t piece)
{
	struct frame_reader r = { .data = data, .control = control };
	bool good = true;

	seen_bytes = 0;
	for (size_t i = 0; i < count && good; i += piece)
		good = frame_feed(&r, bytes + i,
				  piece < count - i ? piece : count - i);
	return good;
}

static void expect(const char *text)
{
	assert_int_equal(seen_bytes, strlen(text));
	assert_memory_equal(seen, text, seen_bytes);
}

/* A message, one in pieces with a ping between, one that is empty, a close. */
static void reading(void **state)
{
	static const char frames[] = "\x82\x03"
				     "abc"
				     "\x01\x02"
				     "de"
				     "\x89\x02hi"
				     "\x80\x01"
				     "f"
				     "\x82\x00"
				     "\x8a\x00"
				     "\x88\x05\x03\xe9"
				     "bye";

	(void)state;
	for (size_t piece = 1; piece < sizeof(frames); piece++) {
		assert_true(feed(frames, sizeof(frames) - 1, piece));
		expect("abcde<9:hi>f<10:><8:\x03\xe9"
		       "bye>");
	}
}

static void long_ones(void **state)
{
	static char frame[70010] = "\x82\x7e\x01\x00";

	(void)state;
	memset(frame + 4, 'x', 256);
	assert_true(feed(frame, 260, 7));
	assert_int_equal(seen_bytes, 256);
	memcpy(frame, "\x82\x7f\0\0\0\0\0\x01\x11\x70", 10);
	memset(frame + 10, 'y', 70000);
	assert_true(feed(frame, sizeof(frame), 4096));
	assert_int_equal(seen_bytes, 70000);
	assert_int_equal(seen[69999], 'y');
}

static void refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
	} list[] = {
		{ "\x83\x00", 2 },          /* no such opcode */
		{ "\x8b\x00", 2 },          /* nor such a control */
		{ "\xc2\x00", 2 },          /* reserved bit */
		{ "\x82\x81\0\0\0\0a", 7 }, /* masked */
		{ "\x80\x00", 2 },          /* goes on with nothing */
		{ "\x02\x00\x02\x00", 4 },  /* a message within another */
		{ "\x09\x00", 2 },          /* a ping in pieces */
		{ "\x89\x7e\x00\x7e", 4 },  /* a long ping */
		{ "\x82\x7f\x80\0\0\0\0\0\0\0", 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (feed(list[i].bytes, list[i].count, 100))
			fail_msg("%zu is accepted", i);
}

static void writing(void **state)
{
	static const uint8_t mask[4] = { 1, 2, 3, 4 };
	static const size_t lengths[] = { 0, 1, 125, 126, 65535, 65536 };
	static const unsigned int heads[] = { 6, 6, 6, 8, 8, 14 };
	static char text[65536];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct strbuf out = { .text = NULL };

		frame_add(&out, FRAME_BINARY, text, lengths[i], mask);
		assert_int_equal(out.length, heads[i] + lengths[i]);
		assert_int_equal((unsigned char)out.text[0], 0x82);
		assert_true(out.text[1] & 0x80);
		assert_memory_equal(out.text + heads[i] - 4, mask, 4);
		for (size_t j = 0; j < lengths[i]; j++)
			assert_int_equal(
				(char)(out.text[heads[i] + j] ^ mask[j % 4]),
				text[j]);
		/* A server would read the same, were it not masked. */
		out.text[1] = (char)(out.text[1] & 0x7f);
		memmove(out.text + heads[i] - 4, out.text + heads[i],
			lengths[i]);
		assert_true(feed(out.text, out.length - 4, 1000));
		assert_int_equal(seen_bytes, lengths[i]);
		strbuf_clear(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading),
		cmocka_unit_test(long_ones),
		cmocka_unit_test(refused),
		cmocka_unit_test(writing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
