// SPDX-License-Identifier: Apache-2.0
/* See error.h. */
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void error_fill(struct error *err, enum error_code code, const char *format,
		...)
{
	va_list ap;

	err->code = code;
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
}

void error_prefix(struct error *err, const char *format, ...)
{
	char old[sizeof(err->message)];
	size_t length;
	va_list ap;

	memcpy(old, err->message, sizeof(old));
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
	length = strlen(err->message);
	snprintf(err->message + length, sizeof(err->message) - length, ": %s",
		 old);
}

const char *error_word(enum error_code code)
{
	static const char *const words[] = {
		[ERR_NONE] = "ok",
		[ERR_INVALID] = "invalid",
		[ERR_NOT_FOUND] = "not-found",
		[ERR_EXISTS] = "exists",
		[ERR_BUSY] = "busy",
		[ERR_NO_MEMORY] = "no-memory",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_SYSTEM] = "system",
		[ERR_NOT_A_KERNEL] = "not-a-kernel",
		[ERR_NO_PV_ENTRY] = "no-pv-entry",
		[ERR_BAD_NOTE] = "bad-note",
		[ERR_CORRUPT_PAYLOAD] = "corrupt-payload",
		[ERR_TOO_LITTLE_MEMORY] = "too-little-memory",
		[ERR_MISSING_RAMDISK] = "missing-ramdisk",
	};

	return words[code];
}
