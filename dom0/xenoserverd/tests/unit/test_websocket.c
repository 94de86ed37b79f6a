// SPDX-License-Identifier: Apache-2.0
/* Tests of util/websocket.c. */
#include <stdlib.h>

#include "unit.h"
#include "util/websocket.h"

static struct websocket_reader server(void)
{
	return (struct websocket_reader){ .masked = true, .most = 70000 };
}

/* The examples of RFC 6455, 1.3 and 5.7. */
static void examples_of_the_standard(void **state)
{
	uint8_t masked[] = { 0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d,
			     0x7f, 0x9f, 0x4d, 0x51, 0x58 };
	uint8_t plain[] = { 0x81, 0x05, 'H', 'e', 'l', 'l', 'o' };
	struct websocket_reader r = server();
	struct websocket_frame f;
	char accept[WEBSOCKET_ACCEPT_MAX];

	(void)state;
	assert_int_equal(websocket_read(&r, masked, sizeof(masked), &f), 11);
	assert_int_equal(f.opcode, WEBSOCKET_TEXT);
	assert_true(f.final);
	assert_int_equal(f.count, 5);
	assert_memory_equal(f.payload, "Hello", 5);
	r.masked = false;
	assert_int_equal(websocket_read(&r, plain, sizeof(plain), &f), 7);
	assert_memory_equal(f.payload, "Hello", 5);
	websocket_accept(accept, "dGhlIHNhbXBsZSBub25jZQ==");
	assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

static void keys(void **state)
{
	(void)state;
	assert_true(websocket_key_valid("dGhlIHNhbXBsZSBub25jZQ=="));
	assert_false(websocket_key_valid(""));
	assert_false(websocket_key_valid("dGhlIHNhbXBsZSBub25jZQ="));
	assert_false(websocket_key_valid("dGhlIHNhbXBsZSBub25jZWQ="));
	assert_false(websocket_key_valid("dGhlIHNhbXBsZSBub25j!Q=="));
}

/* What one end writes the other reads, from every length of the head, and
 * nothing before it is whole. */
static void round_trips(void **state)
{
	static const size_t counts[] = { 0, 1, 125, 126, 127, 65535, 65536 };
	static const uint8_t mask[4] = { 0x12, 0x34, 0x56, 0x78 };

	(void)state;
	for (unsigned int i = 0; i < 2 * sizeof(counts) / sizeof(*counts);
	     i++) {
		size_t count = counts[i / 2], head;
		bool masked = i % 2;
		uint8_t *bytes = malloc(WEBSOCKET_HEAD_MAX + count);
		struct websocket_reader r = { .masked = masked, .most = 70000 };
		struct websocket_frame f;

		head = websocket_head(bytes, WEBSOCKET_BINARY, count,
				      masked ? mask : NULL);
		for (size_t j = 0; j < count; j++)
			bytes[head + j] =
				(uint8_t)(j ^ (masked ? mask[j % 4] : 0));
		for (size_t j = 0; j < head + count; j += j < 200 ? 1 : 10000) {
			assert_int_equal(websocket_read(&r, bytes, j, &f), 0);
		}
		assert_int_equal(websocket_read(&r, bytes, head + count, &f),
				 head + count);
		assert_int_equal(f.count, count);
		assert_int_equal(f.opcode, WEBSOCKET_BINARY);
		for (size_t j = 0; j < count; j++)
			assert_int_equal(f.payload[j], (uint8_t)j);
		free(bytes);
	}
}

/* What is wrong with bytes, with 16 zeros behind them; 0: nothing. */
static int wrong(struct websocket_reader *r, const char *bytes, size_t count)
{
	uint8_t copy[64] = { 0 };
	struct websocket_frame f;

	memcpy(copy, bytes, count);
	if (websocket_read(r, copy, count + 16, &f) >= 0)
		return 0;
	return (int)r->wrong;
}

#define WRONG(r, text) wrong(r, text, sizeof(text) - 1)

static void what_may_not_come(void **state)
{
	struct websocket_reader r = server();

	(void)state;
	assert_int_equal(WRONG(&r, "\x82\x01"), 1002); /* not masked */
	assert_int_equal(WRONG(&r, "\xc2\x81"), 1002); /* reserved */
	assert_int_equal(WRONG(&r, "\x83\x81"), 1002); /* no such frame */
	assert_int_equal(WRONG(&r, "\x8b\x81"), 1002); /* nor this */
	assert_int_equal(WRONG(&r, "\x09\x81"), 1002); /* ping in pieces */
	assert_int_equal(WRONG(&r, "\x89\xfe\0\x7e"), 1002); /* too long */
	assert_int_equal(WRONG(&r, "\x82\xfe\0\x7d"), 1002); /* for its head */
	assert_int_equal(WRONG(&r, "\x82\xff\0\0\0\0\0\0\xff\xff"), 1002);
	assert_int_equal(WRONG(&r, "\x82\xff\0\0\0\0\0\1\xff\xff"), 1009);
	assert_int_equal(WRONG(&r, "\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
			 1009);
	assert_int_equal(WRONG(&r, "\x80\x81"), 1002); /* more of nothing */
	assert_int_equal(WRONG(&r, "\x02\x81"), 0);
	assert_int_equal(WRONG(&r, "\x89\x80"), 0); /* in between */
	assert_int_equal(WRONG(&r, "\x82\x81"), 1002);
	assert_int_equal(WRONG(&r, "\x00\x81"), 0);
	assert_int_equal(WRONG(&r, "\x80\x81"), 0);
	assert_int_equal(WRONG(&r, "\x80\x81"), 1002);
	r.masked = false;
	assert_int_equal(WRONG(&r, "\x82\x81"), 1002);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_standard),
		cmocka_unit_test(keys),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(what_may_not_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
