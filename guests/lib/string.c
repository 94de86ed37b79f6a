/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string.c - the few string functions that the compiler and tests need.
 */
#include "xt.h"

void *memset(void *dst, int c, size_t n)
{
	void *ret = dst;

	__asm__ volatile("rep stosb" : "+D"(dst), "+c"(n) : "a"(c) : "memory");
	return ret;
}

void *memcpy(void *dst, const void *src, size_t n)
{
	void *ret = dst;

	__asm__ volatile("rep movsb"
			 : "+D"(dst), "+S"(src), "+c"(n)
			 :
			 : "memory");
	return ret;
}

void *memmove(void *dst, const void *src, size_t n)
{
	u8 *d = dst;
	const u8 *s = src;

	if (d <= s)
		return memcpy(dst, src, n);
	while (n--)
		WRITE_ONCE(d[n], s[n]);
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *x = a;
	const u8 *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (READ_ONCE(s[n]))
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (u8)*a - (u8)*b;
}
