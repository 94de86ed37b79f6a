/* SPDX-License-Identifier: Apache-2.0 */
/* cmocka, with the headers it wants before it, in its order. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

/* Test random numbers: xorshift, so that a seed reproduces a run. */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
