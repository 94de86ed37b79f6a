// SPDX-License-Identifier: Apache-2.0
/* See error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

void acct_error_fill(struct acct_error *err, enum acct_error_code code,
		     const char *format, ...)
{
	va_list ap;

	err->code = code;
	va_start(ap, format);
	vsnprintf(err->message, sizeof(err->message), format, ap);
	va_end(ap);
}
