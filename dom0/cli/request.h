/* SPDX-License-Identifier: Apache-2.0 */
/* A request to the node, as it goes over the wire, and its answer. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "command.h"
#include "util/strbuf.h"

#define HEADERS_MAX 8

struct request {
	const char *method;
	struct strbuf target; /* path and query */
	struct strbuf headers[HEADERS_MAX];
	unsigned int header_count;
	struct strbuf body;
	const char *upload_path; /* the body is this file; NULL: it is not */
	bool repeatable;         /* once more changes nothing */
	int tries;               /* 0: as usual */
	/* If given, what comes with 200, as it comes; false: no more. */
	bool (*sink)(void *context, const char *bytes, size_t count);
	void *context;
};

struct response {
	long status;
	struct strbuf text;
	char content_type[80], etag[40], request_id[40];
	long retry_after_s;
};

/* The method and path of the command with its arguments, its query and body,
 * and the headers that go with them. 0, or -1 when said why on standard error.
 */
int request_make(struct request *r, const struct call *c);
/* A GET of this target. */
void request_get(struct request *r, const char *target);
void request_add_header(struct request *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void request_clear(struct request *r);
void response_clear(struct response *a);

/* Appends text as it stands in a URL. */
void url_quote(struct strbuf *out, const char *text);
/* Appends it as one word for a shell. */
void shell_quote(struct strbuf *out, const char *text);

/* curl_line.c: the same as a command for a shell. A token is not in it. */
void curl_line(struct strbuf *out, const struct request *r,
	       const struct settings *s);

/* http.c: asks, and asks again if nobody answers and it may. STATUS_OK: there
 * is an answer, whatever it says; else it was said why on standard error. */
enum status http_ask(const struct settings *s, struct request *r,
		     struct response *a);
/* A connection to the node, for curl_easy_send(); it was said why there is
 * none. *out is for curl_easy_cleanup() in any case. */
enum status http_connect(const struct settings *s, void **out);
/* Its token; NULL: none. *why is set if it cannot be read. */
const char *token_of(const struct settings *s, const char **why);

/* Where targets are, without a slash at its end. */
const char *base_url(const struct settings *s);

/* problem.c: says what is wrong on standard error, and what that is worth. */
enum status problem_report(const struct settings *s, const struct response *a);

#endif
