/* SPDX-License-Identifier: Apache-2.0 */
/*
 * console.c - a small printf on the hypervisor's console.
 *
 * Conversions: %d %u %x %ld %lu %lx %p %s %c %%, with 0 and a width.
 */
#include "xt.h"

struct out {
	char *buf;
	size_t size_bytes;
	size_t used;
};

static void put(struct out *o, char c)
{
	if (o->used + 1 < o->size_bytes)
		o->buf[o->used++] = c;
}

static void put_number(struct out *o, u64 v, unsigned int base, int width,
		       char fill)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (width-- > n)
		put(o, fill);
	while (n)
		put(o, digits[--n]);
}

static void put_signed(struct out *o, s64 v, int width, char fill)
{
	if (v < 0)
		put(o, '-');
	put_number(o, v < 0 ? -(u64)v : (u64)v, 10, width, fill);
}

static void put_string(struct out *o, const char *s)
{
	while (*s)
		put(o, *s++);
}

int vformat(char *buf, size_t size_bytes, const char *fmt, va_list ap)
{
	struct out o = { buf, size_bytes, 0 };

	for (; *fmt; fmt++) {
		bool wide = false;
		int width = 0;
		char fill = ' ';

		if (*fmt != '%') {
			put(&o, *fmt);
			continue;
		}
		if (*++fmt == '0')
			fill = '0';
		for (; *fmt >= '0' && *fmt <= '9'; fmt++)
			width = width * 10 + *fmt - '0';
		for (; *fmt == 'l' || *fmt == 'z'; fmt++)
			wide = true;
		switch (*fmt) {
		case 'd':
			put_signed(&o, wide ? va_arg(ap, s64) : va_arg(ap, int),
				   width, fill);
			break;
		case 'u':
			put_number(&o, wide ? va_arg(ap, u64) : va_arg(ap, u32),
				   10, width, fill);
			break;
		case 'x':
			put_number(&o, wide ? va_arg(ap, u64) : va_arg(ap, u32),
				   16, width, fill);
			break;
		case 'p':
			put_number(&o, va_arg(ap, u64), 16, 16, '0');
			break;
		case 's':
			put_string(&o, va_arg(ap, const char *));
			break;
		case 'c':
			put(&o, (char)va_arg(ap, int));
			break;
		default:
			put(&o, *fmt);
			break;
		}
	}
	buf[o.used] = '\0';
	return (int)o.used;
}

void print(const char *fmt, ...)
{
	char buf[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vformat(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	console_write(buf, n);
}
