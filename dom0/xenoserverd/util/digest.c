// SPDX-License-Identifier: Apache-2.0
/* See digest.h. */
#include "util/digest.h"

#include <nettle/sha2.h>
#include <stdint.h>
#include <stdio.h>

void digest_text(char out[DIGEST_MAX], const unsigned char sum[DIGEST_BYTES])
{
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", sum[i]);
}

void digest_make(char out[DIGEST_MAX], const void *bytes, size_t count)
{
	uint8_t sum[SHA256_DIGEST_SIZE];
	struct sha256_ctx c;

	sha256_init(&c);
	sha256_update(&c, count, bytes);
	sha256_digest(&c, sizeof(sum), sum);
	digest_text(out, sum);
}

bool digest_equal(const char a[DIGEST_MAX], const char b[DIGEST_MAX])
{
	unsigned int difference = 0;

	for (int i = 0; i < DIGEST_MAX; i++)
		difference |= (unsigned int)(a[i] ^ b[i]);
	return difference == 0;
}
