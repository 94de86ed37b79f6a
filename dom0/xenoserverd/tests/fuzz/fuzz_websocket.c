// SPDX-License-Identifier: Apache-2.0
/* Bytes from anybody as frames: each consumes what it says, its payload lies
 * within that, and cutting the bytes elsewhere gives the same frames. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/websocket.h"

#define MOST 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(uint8_t *bytes, size_t size)
{
	struct websocket_reader r = { .masked = size & 1, .most = MOST };

	for (size_t at = 0; at < size;) {
		struct websocket_reader again = r;
		uint8_t copy[MOST + WEBSOCKET_HEAD_MAX];
		struct websocket_frame f, g;
		ssize_t n = websocket_read(&r, bytes + at, size - at, &f);

		if (n < 0 && r.wrong != WEBSOCKET_PROTOCOL_ERROR &&
		    r.wrong != WEBSOCKET_TOO_BIG)
			abort();
		if (n <= 0)
			return;
		if ((size_t)n > size - at || f.count > MOST ||
		    f.payload + f.count != bytes + at + n ||
		    (size_t)n > sizeof(copy))
			abort();
		if (f.opcode >= WEBSOCKET_CLOSE && (!f.final || f.count > 125))
			abort();
		/* Unmasked again with the same mask, it is as it came. */
		memcpy(copy, bytes + at, (size_t)n);
		if (r.masked)
			for (size_t i = 0; i < f.count; i++)
				copy[(size_t)n - f.count + i] ^=
					copy[(size_t)n - f.count - 4 + i % 4];
		if (websocket_read(&again, copy, (size_t)n - 1, &g) != 0 ||
		    websocket_read(&again, copy, (size_t)n, &g) != n ||
		    g.count != f.count || g.opcode != f.opcode ||
		    memcmp(g.payload, f.payload, f.count) != 0)
			abort();
		at += (size_t)n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = malloc(size + 1);

	memcpy(bytes, data, size);
	read_all(bytes, size);
	free(bytes);
	return 0;
}
