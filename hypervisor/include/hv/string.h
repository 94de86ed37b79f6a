/* SPDX-License-Identifier: Apache-2.0 */
/* The memory and string functions that C code expects; ISO C semantics. */
#ifndef HV_STRING_H
#define HV_STRING_H

#include <hv/types.h>

void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memchr(const void *s, int c, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t n);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);

/* Copies at most size - 1 characters and always terminates; returns the
 * length of src. */
size_t strlcpy(char *dst, const char *src, size_t size);

#endif
