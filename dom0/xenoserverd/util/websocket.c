// SPDX-License-Identifier: Apache-2.0
/* See websocket.h. */
#include "util/websocket.h"

#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <string.h>

#define FINAL 0x80
#define RESERVED 0x70
#define MASKED 0x80
#define CONTROL 0x08
#define CONTROL_MOST 125
#define LENGTH_16 126
#define LENGTH_64 127
#define KEY_BYTES 16

static ssize_t fail(struct websocket_reader *r, enum websocket_status wrong)
{
	r->wrong = wrong;
	return -1;
}

/* How many bytes follow the first two for the length. */
static size_t length_bytes(uint8_t second)
{
	switch (second & 0x7f) {
	case LENGTH_16:
		return 2;
	case LENGTH_64:
		return 8;
	default:
		return 0;
	}
}

/* false: in more bytes than it takes. */
static bool read_length(const uint8_t *bytes, uint64_t *out)
{
	size_t more = length_bytes(bytes[1]);

	*out = more ? 0 : bytes[1] & 0x7f;
	for (size_t i = 0; i < more; i++)
		*out = *out << 8 | bytes[2 + i];
	return more != 2 ? more != 8 || *out > 0xffff : *out >= LENGTH_16;
}

/* Whether a frame of that kind may come now. */
static bool in_order(struct websocket_reader *r, uint8_t first)
{
	bool final = first & FINAL;

	switch (first & 0x0f) {
	case WEBSOCKET_MORE:
		if (!r->in_message)
			return false;
		r->in_message = !final;
		return true;
	case WEBSOCKET_TEXT:
	case WEBSOCKET_BINARY:
		if (r->in_message)
			return false;
		r->in_message = !final;
		return true;
	case WEBSOCKET_CLOSE:
	case WEBSOCKET_PING:
	case WEBSOCKET_PONG:
		return final;
	default:
		return false;
	}
}

ssize_t websocket_read(struct websocket_reader *r, uint8_t *bytes, size_t count,
		       struct websocket_frame *out)
{
	const uint8_t *mask;
	uint64_t length;
	size_t head;

	if (count < 2)
		return 0;
	if (bytes[0] & RESERVED || !(bytes[1] & MASKED) == r->masked)
		return fail(r, WEBSOCKET_PROTOCOL_ERROR);
	if (bytes[0] & CONTROL && (bytes[1] & 0x7f) > CONTROL_MOST)
		return fail(r, WEBSOCKET_PROTOCOL_ERROR);
	head = 2 + length_bytes(bytes[1]) + (r->masked ? 4 : 0);
	if (count < head)
		return 0;
	if (!read_length(bytes, &length))
		return fail(r, WEBSOCKET_PROTOCOL_ERROR);
	if (length > r->most)
		return fail(r, WEBSOCKET_TOO_BIG);
	if (count - head < length)
		return 0;
	if (!in_order(r, bytes[0]))
		return fail(r, WEBSOCKET_PROTOCOL_ERROR);
	*out = (struct websocket_frame){
		.opcode = bytes[0] & 0x0f,
		.final = bytes[0] & FINAL,
		.payload = bytes + head,
		.count = (size_t)length,
	};
	mask = bytes + head - 4;
	for (size_t i = 0; r->masked && i < length; i++)
		out->payload[i] ^= mask[i % 4];
	return (ssize_t)(head + length);
}

size_t websocket_head(uint8_t out[WEBSOCKET_HEAD_MAX], enum websocket_opcode o,
		      uint64_t count, const uint8_t *mask)
{
	size_t more = count < LENGTH_16 ? 0 : count <= 0xffff ? 2 : 8;
	size_t at = 2 + more;

	out[0] = (uint8_t)(FINAL | o);
	out[1] = (uint8_t)(more == 0   ? count
			   : more == 2 ? LENGTH_16
				       : LENGTH_64);
	for (size_t i = 0; i < more; i++)
		out[2 + i] = (uint8_t)(count >> 8 * (more - 1 - i));
	if (!mask)
		return at;
	out[1] |= MASKED;
	memcpy(out + at, mask, 4);
	return at + 4;
}

bool websocket_key_valid(const char *key)
{
	uint8_t bytes[BASE64_DECODE_LENGTH(WEBSOCKET_ACCEPT_MAX)];
	struct base64_decode_ctx c;
	size_t count = sizeof(bytes), length = strlen(key);

	if (length != BASE64_ENCODE_RAW_LENGTH(KEY_BYTES))
		return false;
	base64_decode_init(&c);
	return base64_decode_update(&c, &count, bytes, length, key) &&
	       base64_decode_final(&c) && count == KEY_BYTES;
}

void websocket_accept(char out[WEBSOCKET_ACCEPT_MAX], const char *key)
{
	static const char magic[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx c;

	sha1_init(&c);
	sha1_update(&c, strlen(key), (const uint8_t *)key);
	sha1_update(&c, sizeof(magic) - 1, (const uint8_t *)magic);
	sha1_digest(&c, sizeof(digest), digest);
	base64_encode_raw(out, sizeof(digest), digest);
	out[BASE64_ENCODE_RAW_LENGTH(SHA1_DIGEST_SIZE)] = '\0';
}
