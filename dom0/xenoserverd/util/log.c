// SPDX-License-Identifier: Apache-2.0
/* See log.h. The line is written whole, with one call. */
#include "util/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void log_event(const char *level, const char *format, ...)
{
	char line[512];
	int length = snprintf(line, sizeof(line), "level=%s ", level);
	va_list ap;

	va_start(ap, format);
	length += vsnprintf(line + length, sizeof(line) - (size_t)length - 1,
			    format, ap);
	va_end(ap);
	if (length > (int)sizeof(line) - 2)
		length = sizeof(line) - 2;
	line[length++] = '\n';
	/* There is nobody to tell that the log is gone. */
	if (write(STDERR_FILENO, line, (size_t)length) < 0)
		return;
}
