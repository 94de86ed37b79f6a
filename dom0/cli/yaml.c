// SPDX-License-Identifier: Apache-2.0
/* YAML in block style. A string is plain only if no reader of any version can
 * take it for something else; all others are in double quotes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "output.h"

static bool plain(const char *text)
{
	static const char *const words[] = { "true", "false", "yes", "no", "on",
					     "off",  "null",  "y",   "n" };

	if (!isalpha((unsigned char)*text) && *text != '/')
		return false;
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_./-", *p))
			return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return false;
	return true;
}

/* One character of valid UTF-8; returns its length. */
static size_t decode(const unsigned char *p, unsigned int *out)
{
	size_t length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	*out = length == 1 ? *p : *p & (0xffU >> (length + 1));
	for (size_t i = 1; i < length; i++)
		*out = *out << 6 | (p[i] & 0x3f);
	return length;
}

/* What YAML does not let stand for itself. */
static bool escaped(unsigned int c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 ||
	       c == 0x2029 || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

static void add_string(struct strbuf *out, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (plain(text)) {
		strbuf_add(out, "%s", text);
		return;
	}
	strbuf_add(out, "\"");
	while (*p) {
		unsigned int c;
		size_t length = decode(p, &c);

		if (c == '"' || c == '\\')
			strbuf_add(out, "\\%c", (char)c);
		else if (escaped(c))
			strbuf_add(out, c < 0x100 ? "\\x%02x" : "\\u%04x", c);
		else
			strbuf_add_bytes(out, p, length);
		p += length;
	}
	strbuf_add(out, "\"");
}

static bool is_block(json_t *value)
{
	return json_object_size(value) || json_array_size(value);
}

static void add_scalar(struct strbuf *out, json_t *value)
{
	char *text;

	if (json_is_string(value)) {
		add_string(out, json_string_value(value));
		return;
	}
	text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	strbuf_add(out, "%s", text ? text : "null");
	free(text);
}

static void add_block(struct strbuf *out, json_t *value, int indent,
		      bool begun);

/* What follows a key or a dash. */
static void add_value(struct strbuf *out, json_t *value, int indent,
		      bool in_list)
{
	if (is_block(value)) {
		strbuf_add(out, in_list ? " " : "\n");
		add_block(out, value, indent + 2, in_list);
		return;
	}
	strbuf_add(out, " ");
	add_scalar(out, value);
	strbuf_add(out, "\n");
}

/* begun: its first line is already indented. */
static void add_block(struct strbuf *out, json_t *value, int indent, bool begun)
{
	const char *key;
	json_t *member;
	size_t i;

	json_object_foreach(value, key, member)
	{
		strbuf_add(out, "%*s", begun ? 0 : indent, "");
		add_string(out, key);
		strbuf_add(out, ":");
		add_value(out, member, indent, false);
		begun = false;
	}
	json_array_foreach(value, i, member)
	{
		strbuf_add(out, "%*s-", begun ? 0 : indent, "");
		add_value(out, member, indent, true);
		begun = false;
	}
}

void yaml_add(struct strbuf *out, json_t *value)
{
	if (is_block(value)) {
		add_block(out, value, 0, false);
		return;
	}
	add_scalar(out, value);
	strbuf_add(out, "\n");
}
