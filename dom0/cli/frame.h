/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of a WebSocket (RFC 6455), as a client reads and writes them. */
#ifndef CLI_FRAME_H
#define CLI_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

#define FRAME_TEXT 1U
#define FRAME_BINARY 2U
#define FRAME_CLOSE 8U
#define FRAME_PING 9U
#define FRAME_PONG 10U
#define FRAME_CONTROL_MAX 125

struct frame_reader {
	/* Bytes of messages, as they come. */
	void (*data)(void *context, const char *bytes, size_t count);
	/* A whole close, ping or pong. */
	void (*control)(void *context, unsigned int opcode, const char *bytes,
			size_t count);
	void *context;
	unsigned char head[10];
	unsigned int head_bytes; /* of it that are there */
	uint64_t left;           /* of the payload */
	bool in_message;
	char text[FRAME_CONTROL_MAX];
	size_t text_bytes;
};

/* In whatever pieces they come. false: these are no frames of a server. */
bool frame_feed(struct frame_reader *r, const char *bytes, size_t count);
/* One whole message, or a control frame, masked. */
void frame_add(struct strbuf *out, unsigned int opcode, const char *bytes,
	       size_t count, const uint8_t mask[4]);

#endif
