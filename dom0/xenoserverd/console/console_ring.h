/* SPDX-License-Identifier: Apache-2.0 */
/* The page through which a domain's console passes. The domain can write to
 * all of it at any time: each index is read once and checked. */
#ifndef CONSOLE_CONSOLE_RING_H
#define CONSOLE_CONSOLE_RING_H

#include <stddef.h>

/* The whole ring. */
#define CONSOLE_RING_OUT_BYTES 2048

/* What the domain has printed, and takes it out: how many bytes. */
size_t console_ring_take(void *page, char out[CONSOLE_RING_OUT_BYTES]);
/* What is typed for the domain: how many of the bytes found room. */
size_t console_ring_put(void *page, const char *bytes, size_t count);

#endif
