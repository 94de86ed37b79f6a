/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 of one piece of memory. Its file is the only one that knows whose
 * implementation it is. */
#ifndef ACCOUNTING_SHA256_H
#define ACCOUNTING_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define ACCT_HASH_BYTES 32
#define ACCT_HASH_TEXT (2 * ACCT_HASH_BYTES + 1)

void acct_sha256(const void *bytes, size_t count,
		 uint8_t hash[ACCT_HASH_BYTES]);

/* Lower-case hexadecimal digits; returns text. */
const char *acct_hash_text(const uint8_t hash[ACCT_HASH_BYTES],
			   char text[ACCT_HASH_TEXT]);

#endif
