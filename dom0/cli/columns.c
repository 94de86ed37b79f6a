// SPDX-License-Identifier: Apache-2.0
/* Which members of an answer are shown, and as what text; see output.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

static void copy(char *out, size_t out_bytes, const char *text, size_t length)
{
	if (length >= out_bytes)
		length = out_bytes - 1;
	memcpy(out, text, length);
	out[length] = '\0';
}

/* "HEADER=path:format", or "path", whose header is itself. */
static void parse_one(struct column *c, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	const char *path = equals ? equals + 1 : text;
	size_t rest = length - (size_t)(path - text);
	const char *colon = equals ? memchr(path, ':', rest) : NULL;

	*c = (struct column){ .size = false };
	if (colon) {
		c->size = strncmp(colon, ":size", 5) == 0;
		c->money = strncmp(colon, ":money", 6) == 0;
		c->width = (unsigned int)strtoul(colon + 1, NULL, 10);
		rest = (size_t)(colon - path);
	}
	copy(c->path, sizeof(c->path), path, rest);
	if (equals)
		copy(c->header, sizeof(c->header), text,
		     (size_t)(equals - text));
	else
		copy(c->header, sizeof(c->header), path, rest);
	for (char *p = c->header; *p; p++)
		*p = (char)toupper((unsigned char)*p);
}

unsigned int columns_parse(const char *text, struct column out[COLUMNS_MAX])
{
	unsigned int count = 0;

	while (*text && count < COLUMNS_MAX) {
		size_t length = strcspn(text, " ,");

		if (length)
			parse_one(&out[count++], text, length);
		text += length + (text[length] != '\0');
	}
	return count;
}

static void add_members(json_t *out, json_t *value, const char *prefix)
{
	const char *key;
	json_t *member;

	json_object_foreach(value, key, member)
	{
		struct strbuf path = { .text = NULL };

		strbuf_add(&path, "%s%s%s", prefix, *prefix ? "." : "", key);
		if (json_is_object(member))
			add_members(out, member, path.text);
		else
			json_object_set(out, path.text, member);
		strbuf_clear(&path);
	}
}

json_t *flatten(json_t *value)
{
	json_t *out = json_object();

	add_members(out, value, "");
	return out;
}

/* Keys may have points themselves, so each is tried as the end of a key. */
json_t *member_at(json_t *value, const char *path)
{
	json_t *found = json_object_get(value, path);

	for (const char *dot = strchr(path, '.'); dot && !found;
	     dot = strchr(dot + 1, '.')) {
		char key[128];
		json_t *inner;

		copy(key, sizeof(key), path, (size_t)(dot - path));
		inner = json_object_get(value, key);
		if (inner)
			found = member_at(inner, dot + 1);
	}
	return found;
}

bool money_text(struct strbuf *out, json_t *value)
{
	json_t *micro = json_object_get(value, "micro");
	const char *currency =
		json_string_value(json_object_get(value, "currency"));
	int64_t amount = json_integer_value(micro);
	uint64_t size = amount < 0 ? -(uint64_t)amount : (uint64_t)amount;

	if (!json_is_integer(micro) || !currency)
		return false;
	strbuf_add(out, "%s%" PRIu64 ".%06" PRIu64 " %s", amount < 0 ? "-" : "",
		   size / 1000000, size % 1000000, currency);
	return true;
}

static void add_json(struct strbuf *out, json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);

	strbuf_add(out, "%s", text ? text : "");
	free(text);
}

void leaf_text(struct strbuf *out, json_t *value)
{
	json_t *item;
	size_t i;

	if (json_is_string(value)) {
		strbuf_add(out, "%s", json_string_value(value));
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item)
		{
			strbuf_add(out, "%s", i ? "," : "");
			leaf_text(out, item);
		}
	} else if (value && !json_is_null(value)) {
		add_json(out, value);
	}
}
