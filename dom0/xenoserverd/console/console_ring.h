/* SPDX-License-Identifier: Apache-2.0 */
/* The page through which a domain's console passes. The domain can write to
 * all of it at any time: each index is read once and checked. */
#ifndef CONSOLE_CONSOLE_RING_H
#define CONSOLE_CONSOLE_RING_H

#include <stddef.h>
#include <stdint.h>

/* The whole ring. */
#define CONSOLE_RING_OUT_BYTES 2048

/* What the domain has printed: how many bytes. It stays in the ring, where the
 * next one finds it if this process ends, until console_ring_drop. */
size_t console_ring_peek(void *page, char out[CONSOLE_RING_OUT_BYTES],
			 uint32_t *end);
/* The ring is free up to the end that was told. */
void console_ring_drop(void *page, uint32_t end);
/* What is typed for the domain: how many of the bytes found room. */
size_t console_ring_put(void *page, const char *bytes, size_t count);

#endif
