// SPDX-License-Identifier: Apache-2.0
/* The request as a command for a shell. The token stays where it came from, so
 * that the line can be shown to others. */
#include <stdlib.h>
#include <string.h>

#include "request.h"

static void add_token(struct strbuf *out, const struct settings *s)
{
	if (s->token_file) {
		strbuf_add(out, " -H \"Authorization: Bearer $(cat ");
		shell_quote(out, s->token_file);
		strbuf_add(out, ")\"");
	} else if (s->token) {
		strbuf_add(out, " -H \"Authorization: Bearer $XENO_TOKEN\"");
	}
}

void curl_line(struct strbuf *out, const struct request *r,
	       const struct settings *s)
{
	struct strbuf url = { .text = NULL };
	const char *method = r->body.text ? "POST" : "GET";

	strbuf_add(out, "curl -sS%s", r->sink ? "N" : "");
	if (!s->url) {
		strbuf_add(out, " --unix-socket ");
		shell_quote(out, s->socket_path);
	} else if (s->ca_file) {
		strbuf_add(out, " --cacert ");
		shell_quote(out, s->ca_file);
	}
	if (strcmp(method, r->method) != 0)
		strbuf_add(out, " -X %s", r->method);
	add_token(out, s);
	for (unsigned int i = 0; i < r->header_count; i++) {
		strbuf_add(out, " -H ");
		shell_quote(out, r->headers[i].text);
	}
	if (r->body.text) {
		strbuf_add(out, " --data-binary ");
		shell_quote(out, r->body.text);
	}
	if (r->upload_path) {
		strbuf_add(out, " -T ");
		shell_quote(out, r->upload_path);
	}
	strbuf_add(&url, "%s%s", base_url(s), r->target.text);
	strbuf_add(out, " ");
	shell_quote(out, url.text);
	strbuf_add(out, "\n");
	strbuf_clear(&url);
}
