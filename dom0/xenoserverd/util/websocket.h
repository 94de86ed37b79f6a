/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of WebSockets (RFC 6455), for both ends. Pure: bytes in, frames out.
 * What a message means, and when a connection ends, is the caller's.
 */
#ifndef UTIL_WEBSOCKET_H
#define UTIL_WEBSOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum websocket_opcode {
	WEBSOCKET_MORE = 0, /* of the message before */
	WEBSOCKET_TEXT = 1,
	WEBSOCKET_BINARY = 2,
	WEBSOCKET_CLOSE = 8,
	WEBSOCKET_PING = 9,
	WEBSOCKET_PONG = 10,
};

enum websocket_status {
	WEBSOCKET_NORMAL = 1000,
	WEBSOCKET_GOING_AWAY = 1001,
	WEBSOCKET_PROTOCOL_ERROR = 1002,
	WEBSOCKET_POLICY = 1008,
	WEBSOCKET_TOO_BIG = 1009,
};

/* Besides its payload. */
#define WEBSOCKET_HEAD_MAX 14

struct websocket_frame {
	enum websocket_opcode opcode;
	bool final;
	uint8_t *payload; /* within the bytes that were given */
	size_t count;
};

struct websocket_reader {
	bool masked;     /* frames have to be: they come from a client */
	size_t most;     /* bytes of a payload */
	bool in_message; /* its last frame has not come yet */
	enum websocket_status wrong; /* after -1 */
};

/* The first frame of the bytes, whose payload is unmasked in place: how many
 * bytes it has; 0: it is not whole yet; -1: it is none that may come here. */
ssize_t websocket_read(struct websocket_reader *r, uint8_t *bytes, size_t count,
		       struct websocket_frame *out);

/* The head of a final frame with a payload of that many bytes; its length.
 * mask NULL: not masked, as servers send. */
size_t websocket_head(uint8_t out[WEBSOCKET_HEAD_MAX], enum websocket_opcode o,
		      uint64_t count, const uint8_t *mask);

#define WEBSOCKET_ACCEPT_MAX 29 /* with the NUL */

/* Whether it is what a client may send as Sec-WebSocket-Key. */
bool websocket_key_valid(const char *key);
/* The answer to the key. */
void websocket_accept(char out[WEBSOCKET_ACCEPT_MAX], const char *key);

#endif
