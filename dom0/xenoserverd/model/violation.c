// SPDX-License-Identifier: Apache-2.0
/* See violation.h. */
#include "model/violation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void violation_add(struct violations *v, const char *value, const char *limit,
		   const char *field_format, ...)
{
	struct violation *at = &v->list[v->count];
	va_list ap;

	if (v->count == VIOLATIONS_MAX)
		return;
	va_start(ap, field_format);
	vsnprintf(at->field, sizeof(at->field), field_format, ap);
	va_end(ap);
	for (unsigned int i = 0; i < v->count; i++)
		if (strcmp(v->list[i].field, at->field) == 0)
			return;
	v->count++;
	snprintf(at->value, sizeof(at->value), "%s", value);
	snprintf(at->limit, sizeof(at->limit), "%s", limit);
}

void violation_add_number(struct violations *v, long long value,
			  const char *limit, const char *field)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", value);
	violation_add(v, text, limit, "%s", field);
}
