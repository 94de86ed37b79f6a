/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/console.h>
#include <hv/format.h>
#include <hv/log.h>
#include <hv/string.h>

#include <arch/clock.h>
#include <arch/cpu.h>

static enum log_level shown = LOG_INFO;

void log_set_level(enum log_level level)
{
	shown = level;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "error: ", "warning: ", "",
					     "debug: " };
	char line[256];
	u64 us = clock_now_ns() / 1000;
	size_t n;
	va_list ap;

	if (level > shown)
		return;
	n = (size_t)hv_snprintf(line, sizeof(line), "(xeno) [%lu.%06lu] %s",
				us / 1000000, us % 1000000, names[level]);
	va_start(ap, fmt);
	hv_vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	n = strlen(line);
	line[n++] = '\n';
	console_write(line, n);
}
