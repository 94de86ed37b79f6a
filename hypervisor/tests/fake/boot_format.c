// SPDX-License-Identifier: Apache-2.0
/* hv_snprintf by the C library: the formats that boot/ uses mean the same. */
#include <stdio.h>

#include <hv/format.h>

int hv_vsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	return vsnprintf(buf, size, fmt, ap);
}

int hv_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = hv_vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return len;
}
