/* SPDX-License-Identifier: Apache-2.0 */
#include <hv/format.h>
#include <hv/string.h>

struct out {
	char *buf;
	size_t size, len;
};

struct spec {
	bool left, zero, negative;
	int width, precision; /* precision -1: not given */
};

static void put(struct out *o, char c)
{
	if (o->len + 1 < o->size)
		o->buf[o->len] = c;
	o->len++;
}

static void put_padded(struct out *o, const char *s, int n,
		       const struct spec *spec)
{
	int pad = spec->width - n - (spec->negative ? 1 : 0);

	if (!spec->left && !spec->zero)
		for (; pad > 0; pad--)
			put(o, ' ');
	if (spec->negative)
		put(o, '-');
	if (!spec->left && spec->zero)
		for (; pad > 0; pad--)
			put(o, '0');
	while (n--)
		put(o, *s++);
	for (; pad > 0; pad--)
		put(o, ' ');
}

static void put_number(struct out *o, u64 v, unsigned int base, bool upper,
		       const struct spec *spec)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[24];
	int at = sizeof(text);

	do {
		text[--at] = digits[v % base];
		v /= base;
	} while (v);
	put_padded(o, text + at, (int)sizeof(text) - at, spec);
}

static const char *parse_spec(const char *f, struct spec *spec, va_list ap)
{
	*spec = (struct spec){ .precision = -1 };
	for (;; f++) {
		if (*f == '-')
			spec->left = true;
		else if (*f == '0')
			spec->zero = true;
		else
			break;
	}
	if (*f == '*') {
		spec->width = va_arg(ap, int);
		f++;
	}
	while (*f >= '0' && *f <= '9')
		spec->width = spec->width * 10 + (*f++ - '0');
	if (*f == '.') {
		spec->precision = 0;
		f++;
		if (*f == '*') {
			spec->precision = va_arg(ap, int);
			f++;
		}
		while (*f >= '0' && *f <= '9')
			spec->precision = spec->precision * 10 + (*f++ - '0');
	}
	return f;
}

static u64 next_signed(va_list ap, int longs)
{
	return (u64)(longs ? va_arg(ap, s64) : (s64)va_arg(ap, int));
}

static u64 next_unsigned(va_list ap, int longs)
{
	return longs ? va_arg(ap, u64) : va_arg(ap, unsigned int);
}

int hv_vsnprintf(char *buf, size_t size, const char *f, va_list args)
{
	struct out o = { buf, size, 0 };
	struct spec spec;
	const char *s;
	va_list ap;
	u64 v;

	va_copy(ap, args);
	for (; *f; f++) {
		int longs = 0;
		char c;

		if (*f != '%') {
			put(&o, *f);
			continue;
		}
		f = parse_spec(f + 1, &spec, ap);
		while (*f == 'l' || *f == 'z') {
			longs++;
			f++;
		}
		switch (*f) {
		case 'd':
		case 'i':
			v = next_signed(ap, longs);
			spec.negative = (s64)v < 0;
			put_number(&o, spec.negative ? -v : v, 10, false,
				   &spec);
			break;
		case 'u':
			put_number(&o, next_unsigned(ap, longs), 10, false,
				   &spec);
			break;
		case 'x':
		case 'X':
			put_number(&o, next_unsigned(ap, longs), 16, *f == 'X',
				   &spec);
			break;
		case 'p':
			put(&o, '0');
			put(&o, 'x');
			put_number(&o, (u64)va_arg(ap, void *), 16, false,
				   &spec);
			break;
		case 'c':
			c = (char)va_arg(ap, int);
			put_padded(&o, &c, 1, &spec);
			break;
		case 's':
			s = va_arg(ap, const char *);
			if (!s)
				s = "(null)";
			spec.zero = false;
			put_padded(&o, s,
				   (int)strnlen(
					   s, spec.precision < 0
						      ? (size_t)-1
						      : (size_t)spec.precision),
				   &spec);
			break;
		case '%':
			put(&o, '%');
			break;
		default: /* unknown: show it, and the mistake is seen */
			put(&o, '%');
			if (!*f)
				goto end;
			put(&o, *f);
			break;
		}
	}
end:
	va_end(ap);
	if (size)
		buf[MIN(o.len, size - 1)] = 0;
	return (int)o.len;
}

int hv_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = hv_vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n;
}
