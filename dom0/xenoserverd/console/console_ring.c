// SPDX-License-Identifier: Apache-2.0
/* See console_ring.h. */
#include "console/console_ring.h"

#include <stdint.h>

/* The second uses types of the first. */
/* clang-format off */
#include <xen/xen.h>
#include <xen/io/console.h>
/* clang-format on */

_Static_assert(sizeof(((struct xencons_interface *)0)->out) ==
		       CONSOLE_RING_OUT_BYTES,
	       "part of the ABI");

size_t console_ring_peek(void *page, char out[CONSOLE_RING_OUT_BYTES],
			 uint32_t *end)
{
	struct xencons_interface *ring = page;
	uint32_t cons = __atomic_load_n(&ring->out_cons, __ATOMIC_RELAXED);
	uint32_t prod = __atomic_load_n(&ring->out_prod, __ATOMIC_ACQUIRE);
	size_t count = prod - cons;

	/* Nonsense: start afresh with what comes next. */
	if (count > sizeof(ring->out))
		count = 0;
	for (size_t i = 0; i < count; i++)
		out[i] = *(volatile char *)&ring
				  ->out[MASK_XENCONS_IDX(cons + i, ring->out)];
	*end = prod;
	return count;
}

void console_ring_drop(void *page, uint32_t end)
{
	struct xencons_interface *ring = page;

	__atomic_store_n(&ring->out_cons, end, __ATOMIC_RELEASE);
}

size_t console_ring_put(void *page, const char *bytes, size_t count)
{
	struct xencons_interface *ring = page;
	uint32_t cons = __atomic_load_n(&ring->in_cons, __ATOMIC_ACQUIRE);
	uint32_t prod = __atomic_load_n(&ring->in_prod, __ATOMIC_RELAXED);
	size_t used = prod - cons;

	if (used > sizeof(ring->in))
		return 0;
	if (count > sizeof(ring->in) - used)
		count = sizeof(ring->in) - used;
	for (size_t i = 0; i < count; i++)
		ring->in[MASK_XENCONS_IDX(prod + i, ring->in)] = bytes[i];
	__atomic_store_n(&ring->in_prod, prod + (uint32_t)count,
			 __ATOMIC_RELEASE);
	return count;
}
