// SPDX-License-Identifier: Apache-2.0
/* See u128.h. */
#include "u128.h"

#include <string.h>

const char *acct_u128_text(acct_u128 value, char text[ACCT_U128_TEXT])
{
	char digits[ACCT_U128_TEXT];
	unsigned int at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	memcpy(text, digits + at, sizeof(digits) - at);
	return text;
}

bool acct_u128_parse(const char *text, acct_u128 *value)
{
	acct_u128 sum = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' ||
		    __builtin_mul_overflow(sum, (acct_u128)10, &sum) ||
		    __builtin_add_overflow(sum, (acct_u128)(*text - '0'), &sum))
			return false;
	}
	*value = sum;
	return true;
}
