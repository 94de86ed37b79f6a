// SPDX-License-Identifier: Apache-2.0
/* JSON from anybody as rules: what has no violations is read by the parser of
 * the text, as many rules as there are, and is the same document when it is
 * read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/rule_document.h"
#include "network/rule_parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool resolve(void *context, const char *id_or_name, char id[ID_MAX])
{
	(void)context;
	if (!*id_or_name || *id_or_name == 'n')
		return false;
	snprintf(id, ID_MAX, "dom_%.26s", "01M8Q5397R0YR6H0V41WPSB7N3");
	return true;
}

static void check_text(const struct strbuf *text, size_t expected)
{
	static struct given_rule rules[XENO_RULES_MAX];
	struct error err;
	uint32_t count;

	if (rules_parse(rules, XENO_RULES_MAX, &count, text->text, &err) ||
	    count != expected)
		abort();
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].line != i + 1)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *document = json_loadb((const char *)data, size, 0, NULL);
	struct violations v = { .count = 0 }, again = { .count = 0 };
	struct strbuf text = { .text = NULL }, second = { .text = NULL };

	if (!json_is_object(document)) {
		json_decref(document);
		return 0;
	}
	rule_document_read(document, resolve, NULL, &text, &v);
	if (!v.count) {
		check_text(&text,
			   json_array_size(json_object_get(document, "rules")));
		rule_document_read(document, resolve, NULL, &second, &again);
		if (again.count || strcmp(text.text, second.text) != 0)
			abort();
	}
	strbuf_clear(&text);
	strbuf_clear(&second);
	json_decref(document);
	return 0;
}
