/* SPDX-License-Identifier: Apache-2.0 */
/* printf subset: %d %i %u %x %X %c %s %p %% with l, ll, z, width, 0, -, .prec
 * for strings. Always terminates; returns the length it would have had. */
#ifndef HV_FORMAT_H
#define HV_FORMAT_H

#include <stdarg.h>

#include <hv/types.h>

int hv_snprintf(char *buf, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);
int hv_vsnprintf(char *buf, size_t size, const char *fmt, va_list ap);

#endif
