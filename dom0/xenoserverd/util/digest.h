/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256, as hexadecimal digits. */
#ifndef UTIL_DIGEST_H
#define UTIL_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#define DIGEST_MAX 65 /* with the NUL */

#define DIGEST_BYTES 32

void digest_text(char out[DIGEST_MAX], const unsigned char sum[DIGEST_BYTES]);
void digest_make(char out[DIGEST_MAX], const void *bytes, size_t count);
/* In a time that does not tell how much is equal. */
bool digest_equal(const char a[DIGEST_MAX], const char b[DIGEST_MAX]);

#endif
