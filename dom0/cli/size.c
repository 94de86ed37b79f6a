// SPDX-License-Identifier: Apache-2.0
/* See size.h. */
#include "size.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char units[] = "KMGT";

/* What follows the digits; NULL: there are none, or too many. */
static const char *read_digits(const char *text, int64_t *out)
{
	*out = 0;
	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		int digit = *text - '0';

		if (*out > (INT64_MAX - digit) / 10)
			return NULL;
		*out = *out * 10 + digit;
	}
	return text;
}

bool number_parse(const char *text, int64_t *out)
{
	const char *end = read_digits(text, out);

	return end && !*end;
}

bool size_parse(const char *text, int64_t *out_bytes)
{
	const char *end = read_digits(text, out_bytes), *unit;
	int shift;

	if (!end)
		return false;
	if (!*end || strcmp(end, "B") == 0)
		return true;
	unit = strchr(units, toupper((unsigned char)*end));
	if (!unit)
		return false;
	end++;
	if (*end && strcmp(end, "B") != 0 && strcmp(end, "iB") != 0)
		return false;
	shift = 10 * ((int)(unit - units) + 1);
	if (*out_bytes > INT64_MAX >> shift)
		return false;
	*out_bytes <<= shift;
	return true;
}

const char *size_text(int64_t bytes, char out[SIZE_TEXT_MAX])
{
	int unit = 0, shift;
	int64_t tenth;

	if (bytes < 1024) {
		snprintf(out, SIZE_TEXT_MAX, "%" PRId64, bytes);
		return out;
	}
	while (unit < 3 && bytes >> (10 * (unit + 2)))
		unit++;
	shift = 10 * (unit + 1);
	tenth = (bytes & ((INT64_C(1) << shift) - 1)) * 10 >> shift;
	if (tenth)
		snprintf(out, SIZE_TEXT_MAX, "%" PRId64 ".%" PRId64 "%c",
			 bytes >> shift, tenth, units[unit]);
	else
		snprintf(out, SIZE_TEXT_MAX, "%" PRId64 "%c", bytes >> shift,
			 units[unit]);
	return out;
}
