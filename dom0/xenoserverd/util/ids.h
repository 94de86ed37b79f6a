/* SPDX-License-Identifier: Apache-2.0 */
/* Identifiers that nobody has to hand out: a prefix that says of what, and 26
 * characters of Crockford's base 32: 48 bits of milliseconds, so that they sort
 * by age, and 80 bits of chance. */
#ifndef UTIL_IDS_H
#define UTIL_IDS_H

#include <stddef.h>

#define ID_MAX 32 /* with the NUL */
#define ID_TAIL 26

/* "dom" to "dom_01J..." */
void id_make(char out[ID_MAX], const char *prefix);
/* bytes of chance as twice as many hexadecimal digits. */
void secret_make(char *out, size_t bytes);

#endif
