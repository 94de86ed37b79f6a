// SPDX-License-Identifier: Apache-2.0
/* See sha256.h. */
#include "sha256.h"

#include <nettle/sha2.h>

_Static_assert(ACCT_HASH_BYTES == SHA256_DIGEST_SIZE, "one kind of hash");

void acct_sha256(const void *bytes, size_t count, uint8_t hash[ACCT_HASH_BYTES])
{
	struct sha256_ctx context;

	sha256_init(&context);
	sha256_update(&context, count, bytes);
	sha256_digest(&context, ACCT_HASH_BYTES, hash);
}

const char *acct_hash_text(const uint8_t hash[ACCT_HASH_BYTES],
			   char text[ACCT_HASH_TEXT])
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned int i = 0; i < ACCT_HASH_BYTES; i++) {
		text[2 * i] = digits[hash[i] >> 4];
		text[2 * i + 1] = digits[hash[i] & 15];
	}
	text[2 * ACCT_HASH_BYTES] = '\0';
	return text;
}
