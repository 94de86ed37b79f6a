/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with what somebody has asked for: each field with its value and
 * the limit that it breaks, as many as there are up to a bound. */
#ifndef MODEL_VIOLATION_H
#define MODEL_VIOLATION_H

#define VIOLATIONS_MAX 16

struct violation {
	char field[96]; /* JSON Pointer: /disks/0/size_bytes */
	char value[96]; /* as text, cut if it is long */
	char limit[128];
};

struct violations {
	unsigned int count;
	struct violation list[VIOLATIONS_MAX];
};

/* The field is what the format makes; the first thing wrong with it counts. */
void violation_add(struct violations *v, const char *value, const char *limit,
		   const char *field_format, ...)
	__attribute__((format(printf, 4, 5)));
void violation_add_number(struct violations *v, long long value,
			  const char *limit, const char *field);

#endif
