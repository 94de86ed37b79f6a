/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number(): an argument of a program that is a whole number from min to max.
 * Anything else ends the program: a wrong figure is worse than none.
 */
#ifndef BENCH_NUMBER_H
#define BENCH_NUMBER_H

#include <stdio.h>
#include <stdlib.h>

static inline long number(const char *text, long min, long max)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < min || value > max) {
		fprintf(stderr, "not from %ld to %ld: %s\n", min, max, text);
		exit(2);
	}
	return value;
}

#endif
