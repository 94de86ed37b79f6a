// SPDX-License-Identifier: Apache-2.0
/* See frame.h. */
#include "frame.h"

#include <string.h>

#define FINAL 0x80U
#define RESERVED 0x70U
#define OPCODE 0x0fU
#define MASKED 0x80U

/* How long the head is, as far as its first two bytes say. */
static unsigned int head_length(const struct frame_reader *r)
{
	unsigned int length = r->head[1] & 0x7f;

	if (r->head_bytes < 2)
		return 2;
	return length == 127 ? 10 : length == 126 ? 4 : 2;
}

static bool is_control(const struct frame_reader *r)
{
	return (r->head[0] & 8U) != 0;
}

/* The head is whole. false: no server sends such a frame. */
static bool begin(struct frame_reader *r)
{
	unsigned int opcode = r->head[0] & OPCODE;
	unsigned int length = head_length(r);

	if (r->head[0] & RESERVED || r->head[1] & MASKED)
		return false;
	r->left = length == 2 ? r->head[1] : 0;
	for (unsigned int i = 2; i < length; i++)
		r->left = r->left << 8 | r->head[i];
	r->text_bytes = 0;
	if (is_control(r))
		return r->head[0] & FINAL && r->left <= FRAME_CONTROL_MAX &&
		       opcode >= FRAME_CLOSE && opcode <= FRAME_PONG;
	if (opcode > FRAME_BINARY || (opcode != 0) == r->in_message ||
	    r->left >> 63)
		return false;
	r->in_message = !(r->head[0] & FINAL);
	return true;
}

static void end(struct frame_reader *r)
{
	if (is_control(r))
		r->control(r->context, r->head[0] & OPCODE, r->text,
			   r->text_bytes);
	r->head_bytes = 0;
}

bool frame_feed(struct frame_reader *r, const char *bytes, size_t count)
{
	while (count) {
		size_t piece = count < r->left ? count : (size_t)r->left;

		if (!r->left) {
			r->head[r->head_bytes++] = (unsigned char)*bytes++;
			count--;
			if (r->head_bytes < head_length(r))
				continue;
			if (!begin(r))
				return false;
		} else {
			if (is_control(r)) {
				memcpy(r->text + r->text_bytes, bytes, piece);
				r->text_bytes += piece;
			} else {
				r->data(r->context, bytes, piece);
			}
			bytes += piece;
			count -= piece;
			r->left -= piece;
		}
		if (!r->left)
			end(r);
	}
	return true;
}

void frame_add(struct strbuf *out, unsigned int opcode, const char *bytes,
	       size_t count, const uint8_t mask[4])
{
	unsigned char head[14] = { (unsigned char)(FINAL | opcode) };
	unsigned int length = 2;

	if (count < 126) {
		head[1] = (unsigned char)(MASKED | count);
	} else {
		unsigned int width = count < 65536 ? 2 : 8;

		head[1] = MASKED | (width == 2 ? 126 : 127);
		for (unsigned int i = 0; i < width; i++)
			head[length++] = (unsigned char)((uint64_t)count >>
							 8 * (width - 1 - i));
	}
	memcpy(head + length, mask, 4);
	strbuf_add_bytes(out, head, length + 4);
	for (size_t i = 0; i < count; i++) {
		char masked = (char)((unsigned char)bytes[i] ^ mask[i % 4]);

		strbuf_add_bytes(out, &masked, 1);
	}
}
