// SPDX-License-Identifier: Apache-2.0
/* See ids.h. */
#include "util/ids.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/clock.h"

/* The kernel's source of chance does not fail once it has been seeded. */
static void chance(void *out, size_t bytes)
{
	if (getrandom(out, bytes, 0) != (ssize_t)bytes)
		abort();
}

void id_make(char out[ID_MAX], const char *prefix)
{
	static const char digits[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
	uint64_t time_ms = (uint64_t)wall_now_ms();
	uint8_t random[16];
	char *p = out + snprintf(out, ID_MAX - ID_TAIL, "%s_", prefix);

	chance(random, sizeof(random));
	for (int i = 9; i >= 0; i--, time_ms >>= 5)
		p[i] = digits[time_ms & 31];
	for (int i = 0; i < 16; i++)
		p[10 + i] = digits[random[i] & 31];
	p[ID_TAIL] = '\0';
}

void secret_make(char *out, size_t bytes)
{
	uint8_t byte;

	for (size_t i = 0; i < bytes; i++) {
		chance(&byte, 1);
		snprintf(out + 2 * i, 3, "%02x", byte);
	}
}
