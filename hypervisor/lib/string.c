/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and string functions. Long copies use word string instructions: one
 * instruction per 8 bytes on a machine that counts instructions, and the fast
 * microcode on one that does not.
 */
#include <hv/string.h>

void *memcpy(void *dst, const void *src, size_t n)
{
	void *d = dst;
	size_t words = n / 8, rest = n & 7;

	__asm__ volatile("rep movsq"
			 : "+D"(d), "+S"(src), "+c"(words)
			 :
			 : "memory");
	__asm__ volatile("rep movsb"
			 : "+D"(d), "+S"(src), "+c"(rest)
			 :
			 : "memory");
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	u8 *d = dst;
	const u8 *s = src;

	if (d <= s || d >= s + n)
		return memcpy(dst, src, n);
	for (; n >= 8; n -= 8) {
		u64 word;

		__builtin_memcpy(&word, s + n - 8, 8);
		__builtin_memcpy(d + n - 8, &word, 8);
	}
	while (n--)
		d[n] = s[n];
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	void *d = dst;
	size_t words = n / 8, rest = n & 7;
	u64 pattern = (u8)c * 0x0101010101010101UL;

	__asm__ volatile("rep stosq"
			 : "+D"(d), "+c"(words)
			 : "a"(pattern)
			 : "memory");
	__asm__ volatile("rep stosb"
			 : "+D"(d), "+c"(rest)
			 : "a"(pattern)
			 : "memory");
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const u8 *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

void *memchr(const void *s, int c, size_t n)
{
	const u8 *p = s;

	for (; n--; p++)
		if (*p == (u8)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

size_t strnlen(const char *s, size_t n)
{
	size_t len = 0;

	while (len < n && s[len])
		len++;
	return len;
}

size_t strlen(const char *s)
{
	return strnlen(s, (size_t)-1);
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i] || !a[i])
			return (u8)a[i] - (u8)b[i];
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, (size_t)-1);
}

char *strchr(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)(uintptr_t)s;
		if (!*s)
			return NULL;
	}
}

size_t strlcpy(char *dst, const char *src, size_t size)
{
	size_t len = strlen(src), n;

	if (size) {
		n = MIN(len, size - 1);
		memcpy(dst, src, n);
		dst[n] = 0;
	}
	return len;
}
