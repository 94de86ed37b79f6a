/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people write them: 4096, 512M, 1G, 64KiB; units are powers of 1024.
 */
#ifndef CLI_SIZE_H
#define CLI_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#define SIZE_TEXT_MAX 32

/* false: it is none, or has more than 63 bits. */
bool size_parse(const char *text, int64_t *out_bytes);
/* In the largest unit that leaves at least 1, with a digit after the point if
 * it is needed; rounded down. */
const char *size_text(int64_t bytes, char out[SIZE_TEXT_MAX]);
/* A whole number, not negative. */
bool number_parse(const char *text, int64_t *out);

#endif
