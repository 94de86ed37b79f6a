// SPDX-License-Identifier: Apache-2.0
/* See request.h: from what was typed to a request. */
#include "request.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* The node takes less; what is more is a mistake. */
#define FILE_MAX_BYTES (1 << 20)
#define KEY_BYTES 16

const char *base_url(const struct settings *s)
{
	static char base[1024];
	size_t length;

	snprintf(base, sizeof(base), "%s", s->url ? s->url : "http://node");
	length = strlen(base);
	while (length && base[length - 1] == '/')
		base[--length] = '\0';
	return base;
}

void url_quote(struct strbuf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (isalnum(c) || strchr("-._~", c))
			strbuf_add_bytes(out, text, 1);
		else
			strbuf_add(out, "%%%02X", c);
	}
}

void shell_quote(struct strbuf *out, const char *text)
{
	if (*text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"abcdefghijklmnopqrstuvwxyz"
					"0123456789_./:,=@%+-")]) {
		strbuf_add(out, "%s", text);
		return;
	}
	strbuf_add(out, "'");
	for (; *text; text++)
		strbuf_add(out, *text == '\'' ? "'\\''" : "%c", *text);
	strbuf_add(out, "'");
}

void request_add_header(struct request *r, const char *format, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (r->header_count < HEADERS_MAX)
		strbuf_add(&r->headers[r->header_count++], "%s", text);
}

void request_clear(struct request *r)
{
	strbuf_clear(&r->target);
	strbuf_clear(&r->body);
	for (unsigned int i = 0; i < r->header_count; i++)
		strbuf_clear(&r->headers[i]);
	*r = (struct request){ .method = NULL };
}

void response_clear(struct response *a)
{
	strbuf_clear(&a->text);
	*a = (struct response){ .status = 0 };
}

void request_get(struct request *r, const char *target)
{
	*r = (struct request){ .method = "GET", .repeatable = true };
	strbuf_add(&r->target, "%s", target);
}

static void add_target(struct request *r, const struct call *c)
{
	const char *const *word = c->words, *key;
	char separator = '?';
	json_t *value;

	for (const char *p = c->command->path; *p; p++) {
		if (*p != '{') {
			strbuf_add_bytes(&r->target, p, 1);
			continue;
		}
		url_quote(&r->target, *word++);
		p++;
	}
	json_object_foreach(c->query, key, value)
	{
		strbuf_add(&r->target, "%c%s=", separator, key);
		url_quote(&r->target, json_string_value(value));
		separator = '&';
	}
}

static int read_file(struct strbuf *out, const char *path)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char block[4096];
	size_t count;

	while (f && out->length <= FILE_MAX_BYTES &&
	       (count = fread(block, 1, sizeof(block), f)))
		strbuf_add_bytes(out, block, count);
	if (!f || ferror(f) || out->length > FILE_MAX_BYTES) {
		fprintf(stderr, "xeno: %s: %s\n", path,
			f && !ferror(f) ? "too large" : strerror(errno));
		if (f && f != stdin)
			fclose(f);
		return -1;
	}
	if (f != stdin)
		fclose(f);
	return 0;
}

/* The JSON of a file with what options say put over it. */
static int merge(struct request *r, const struct call *c, const char *path)
{
	json_error_t why;
	json_t *body = json_loadb(r->body.text ? r->body.text : "",
				  r->body.length, JSON_REJECT_DUPLICATES, &why);

	if (!json_is_object(body)) {
		fprintf(stderr, "xeno: %s: ", path);
		if (body)
			fprintf(stderr, "not a JSON object\n");
		else
			fprintf(stderr, "line %d, column %d: %s\n", why.line,
				why.column, why.text);
		json_decref(body);
		return -1;
	}
	json_object_update(c->body, body);
	json_decref(body);
	return 0;
}

static bool is_xml(const struct strbuf *body)
{
	return body->text &&
	       body->text[strspn(body->text, " \t\r\n\xef\xbb\xbf")] == '<';
}

static int add_body(struct request *r, const struct call *c)
{
	const char *path = c->settings.file;
	json_t *options = json_copy(c->body);
	char *text;
	int rc = 0;

	if (path)
		rc = read_file(&r->body, path);
	if (!rc && path && is_xml(&r->body)) {
		if (json_object_size(options)) {
			fprintf(stderr,
				"xeno: %s is XML: there are no options "
				"for what is in it\n",
				path);
			rc = -1;
		}
		request_add_header(r, "Content-Type: application/xml");
		json_decref(options);
		return rc;
	}
	if (!rc && path)
		rc = merge(r, c, path);
	json_object_update(c->body, options);
	json_decref(options);
	strbuf_clear(&r->body);
	if (rc)
		return -1;
	text = json_dumps(c->body, JSON_COMPACT);
	strbuf_add(&r->body, "%s", text);
	free(text);
	request_add_header(r, "Content-Type: application/%s",
			   c->command->traits & PATCHES ? "merge-patch+json"
							: "json");
	return 0;
}

static void add_key(struct request *r, const struct settings *s)
{
	unsigned char bytes[KEY_BYTES];
	char text[2 * KEY_BYTES + 1];

	if (s->idempotency_key) {
		request_add_header(r, "Idempotency-Key: %s",
				   s->idempotency_key);
		return;
	}
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort();
	for (unsigned int i = 0; i < KEY_BYTES; i++)
		snprintf(text + (size_t)2 * i, 3, "%02x", bytes[i]);
	request_add_header(r, "Idempotency-Key: %s", text);
}

int request_make(struct request *r, const struct call *c)
{
	const struct command *m = c->command;
	bool get = strcmp(m->method, "GET") == 0;

	*r = (struct request){ .method = m->method,
			       .repeatable = get || (m->traits & KEYED) };
	add_target(r, c);
	if (m->traits & (BODY | PATCHES) && add_body(r, c))
		return -1;
	if (m->traits & XML)
		request_add_header(r, "Accept: application/xml");
	if (m->traits & KEYED)
		add_key(r, &c->settings);
	if (c->settings.version)
		request_add_header(r, "If-Match: \"%lld\"",
				   (long long)c->settings.version);
	else if (m->traits & MATCHED)
		request_add_header(r, "If-Match: *");
	return 0;
}
