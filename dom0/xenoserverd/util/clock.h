/* SPDX-License-Identifier: Apache-2.0 */
/* Two clocks in milliseconds: what a calendar says, and what only grows. */
#ifndef UTIL_CLOCK_H
#define UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_read_ms(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline int64_t wall_now_ms(void)
{
	return clock_read_ms(CLOCK_REALTIME);
}

static inline int64_t monotonic_now_ms(void)
{
	return clock_read_ms(CLOCK_MONOTONIC);
}

#endif
