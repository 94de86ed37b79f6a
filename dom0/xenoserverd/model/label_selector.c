// SPDX-License-Identifier: Apache-2.0
/* See label_selector.h. */
#include "model/label_selector.h"

#include <string.h>

static bool take(char out[SPEC_LABEL_MAX], const char *from, size_t length)
{
	if (length >= SPEC_LABEL_MAX)
		return false;
	memcpy(out, from, length);
	out[length] = '\0';
	return true;
}

static bool parse_term(struct selector_term *t, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	const char *end = text + length, *key_end = equals ?: end;

	t->relation = equals ? LABEL_IS : LABEL_EXISTS;
	if (equals > text && equals[-1] == '!') {
		t->relation = LABEL_IS_NOT;
		key_end--;
	} else if (!equals && *text == '!') {
		t->relation = LABEL_MISSING;
		text++;
	}
	*t->label.value = '\0';
	if (!take(t->label.key, text, (size_t)(key_end - text)) ||
	    !label_key_valid(t->label.key))
		return false;
	return !equals ||
	       (take(t->label.value, equals + 1, (size_t)(end - equals - 1)) &&
		label_value_valid(t->label.value));
}

bool label_selector_parse(struct label_selector *out, const char *text)
{
	out->count = 0;
	for (;;) {
		const char *comma = strchrnul(text, ',');

		if (out->count == SELECTOR_TERMS_MAX || comma == text ||
		    !parse_term(&out->terms[out->count++], text,
				(size_t)(comma - text)))
			return false;
		if (!*comma)
			return true;
		text = comma + 1;
	}
}
