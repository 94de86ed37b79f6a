/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits, and their decimal text. */
#ifndef ACCOUNTING_U128_H
#define ACCOUNTING_U128_H

#include <stdbool.h>

typedef unsigned __int128 acct_u128;

#define ACCT_U128_TEXT 40 /* 39 digits and the NUL */

/* Returns text. */
const char *acct_u128_text(acct_u128 value, char text[ACCT_U128_TEXT]);
/* Only what acct_u128_text makes: digits, no leading zero, nothing else. */
bool acct_u128_parse(const char *text, acct_u128 *value);

#endif
