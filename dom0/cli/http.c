// SPDX-License-Identifier: Apache-2.0
/* Requests over libcurl. One that may be repeated is, when the connection was
 * lost or the node is busy, with the same key: it is then done once at most. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "request.h"

#define USUAL_TRIES 4
#define FIRST_PAUSE_MS 200
#define LONGEST_PAUSE_MS 2000
#define CONNECT_TIMEOUT_S 10L
/* Longer than the longest wait for an operation. */
#define ANSWER_TIMEOUT_S 90L
/* The node says something every 15 seconds. */
#define SILENCE_TIMEOUT_S 45L
#define ANSWER_MAX_BYTES (64 << 20)
#define TOKEN_MAX_BYTES 256

const char *token_of(const struct settings *s, const char **why)
{
	static char text[TOKEN_MAX_BYTES];
	struct stat st;
	ssize_t count;
	int fd;

	*why = NULL;
	if (!s->token_file)
		return s->token;
	fd = open(s->token_file, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		*why = strerror(errno);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	count = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (S_ISREG(st.st_mode) && st.st_mode & (S_IRWXG | S_IRWXO))
		*why = "others may read it: chmod 600";
	else if (count <= 0)
		*why = "there is no token in it";
	if (*why)
		return NULL;
	text[count] = '\0';
	text[strcspn(text, " \t\r\n")] = '\0';
	return text;
}

struct transfer {
	CURL *curl;
	struct request *request;
	struct response *answer;
	FILE *upload; /* NULL: none */
	off_t upload_bytes;
};

static size_t take(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *t = context;

	count *= size;
	if (t->request->sink && t->answer->status == 200)
		return t->request->sink(t->request->context, bytes, count)
			       ? count
			       : 0;
	if (t->answer->text.length + count > ANSWER_MAX_BYTES)
		return 0;
	strbuf_add_bytes(&t->answer->text, bytes, count);
	return count;
}

static void keep(char *out, size_t out_bytes, const char *line,
		 const char *name)
{
	size_t length = strlen(name);

	if (strncasecmp(line, name, length) != 0 || line[length] != ':')
		return;
	line += length + 1;
	line += strspn(line, " ");
	snprintf(out, out_bytes, "%.*s", (int)strcspn(line, "\r\n"), line);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *context)
{
	struct transfer *t = context;
	struct response *a = t->answer;
	char line[256], number[16] = "";

	count *= size;
	snprintf(line, sizeof(line), "%.*s", (int)count, bytes);
	keep(a->content_type, sizeof(a->content_type), line, "Content-Type");
	keep(a->etag, sizeof(a->etag), line, "ETag");
	keep(a->request_id, sizeof(a->request_id), line, "Request-Id");
	keep(number, sizeof(number), line, "Retry-After");
	if (*number)
		a->retry_after_s = strtol(number, NULL, 10);
	curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &a->status);
	return count;
}

/* Where to, and how. */
static void set_peer(CURL *curl, const struct settings *s, const char *url,
		     char *error)
{
	curl_easy_setopt(curl, CURLOPT_URL, url);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, CONNECT_TIMEOUT_S);
	if (!s->url) {
		curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH,
				 s->socket_path);
		curl_easy_setopt(curl, CURLOPT_PROXY, "");
	}
	if (s->ca_file)
		curl_easy_setopt(curl, CURLOPT_CAINFO, s->ca_file);
}

static void set_up(struct transfer *t, const struct settings *s,
		   const char *url, char *error)
{
	CURL *curl = t->curl;
	struct request *r = t->request;

	set_peer(curl, s, url, error);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "xeno");
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, r->method);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
	if (r->sink || t->upload) {
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
		curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
				 SILENCE_TIMEOUT_S);
	} else {
		curl_easy_setopt(curl, CURLOPT_TIMEOUT, ANSWER_TIMEOUT_S);
	}
	if (t->upload) {
		curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(curl, CURLOPT_READDATA, t->upload);
		curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE,
				 (curl_off_t)t->upload_bytes);
	} else if (r->body.text) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, r->body.text);
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)r->body.length);
	} else if (strcmp(r->method, "POST") == 0) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
	}
}

/* Nonzero: error says why it cannot be read. */
static int open_upload(struct transfer *t, char *error)
{
	const char *path = t->request->upload_path;

	t->upload = fopen(path, "re");
	if (t->upload && fseeko(t->upload, 0, SEEK_END) == 0) {
		t->upload_bytes = ftello(t->upload);
		rewind(t->upload);
	}
	if (t->upload && t->upload_bytes > 0)
		return 0;
	snprintf(error, CURL_ERROR_SIZE, "%s: %s", path,
		 t->upload ? "no file of some length" : strerror(errno));
	if (t->upload)
		fclose(t->upload);
	return -1;
}

static CURLcode ask_once(const struct settings *s, struct request *r,
			 struct response *a, const char *token, char *error)
{
	struct transfer t = { .request = r, .answer = a };
	struct curl_slist *headers = NULL;
	struct strbuf url = { .text = NULL };
	CURLcode rc;

	response_clear(a);
	if (r->upload_path && open_upload(&t, error))
		return CURLE_READ_ERROR;
	t.curl = curl_easy_init();
	if (!t.curl)
		return CURLE_FAILED_INIT;
	strbuf_add(&url, "%s%s", base_url(s), r->target.text);
	set_up(&t, s, url.text, error);
	for (unsigned int i = 0; i < r->header_count; i++)
		headers = curl_slist_append(headers, r->headers[i].text);
	if (token) {
		struct strbuf line = { .text = NULL };

		strbuf_add(&line, "Authorization: Bearer %s", token);
		headers = curl_slist_append(headers, line.text);
		explicit_bzero(line.text, line.length);
		strbuf_clear(&line);
	}
	/* Bodies are small: no question first. */
	headers = curl_slist_append(headers, "Expect:");
	if (!r->body.text && !t.upload)
		headers = curl_slist_append(headers, "Content-Type:");
	curl_easy_setopt(t.curl, CURLOPT_HTTPHEADER, headers);
	rc = curl_easy_perform(t.curl);
	curl_slist_free_all(headers);
	curl_easy_cleanup(t.curl);
	if (t.upload)
		fclose(t.upload);
	strbuf_clear(&url);
	return rc;
}

/* Whether it is of use, and harmless, to ask once more. */
static bool again(const struct request *r, const struct response *a,
		  CURLcode rc)
{
	if (r->sink && a->status == 200) /* a stream that was begun */
		return false;
	switch (rc) {
	case CURLE_OK:
		return r->repeatable && a->status == 503;
	case CURLE_COULDNT_CONNECT: /* nothing was sent */
		return true;
	case CURLE_GOT_NOTHING:
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
	case CURLE_PARTIAL_FILE:
		return r->repeatable;
	default:
		return false;
	}
}

enum status http_ask(const struct settings *s, struct request *r,
		     struct response *a)
{
	char error[CURL_ERROR_SIZE] = "";
	const char *why, *token = token_of(s, &why);
	useconds_t pause_ms = FIRST_PAUSE_MS;
	CURLcode rc;

	if (why) {
		fprintf(stderr, "xeno: %s: %s\n", s->token_file, why);
		return STATUS_USAGE;
	}
	for (int i = 1;; i++) {
		rc = ask_once(s, r, a, token, error);
		if (i == (r->tries ? r->tries : USUAL_TRIES) ||
		    !again(r, a, rc))
			break;
		usleep((a->retry_after_s == 1 ? 1000 : pause_ms) * 1000);
		if (pause_ms < LONGEST_PAUSE_MS)
			pause_ms *= 2;
	}
	/* However a stream ends, what came of it counts. */
	if (rc == CURLE_OK || (r->sink && a->status == 200))
		return STATUS_OK;
	fprintf(stderr, "xeno: %s: %s\n", s->url ? s->url : s->socket_path,
		*error ? error : curl_easy_strerror(rc));
	return STATUS_UNREACHABLE;
}

enum status http_connect(const struct settings *s, void **out)
{
	char error[CURL_ERROR_SIZE] = "";
	CURL *curl = curl_easy_init();
	const char *why;
	CURLcode rc;

	*out = curl;
	token_of(s, &why);
	if (why) {
		fprintf(stderr, "xeno: %s: %s\n", s->token_file, why);
		return STATUS_USAGE;
	}
	set_peer(curl, s, base_url(s), error);
	curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
	rc = curl_easy_perform(curl);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
	if (rc == CURLE_OK)
		return STATUS_OK;
	fprintf(stderr, "xeno: %s: %s\n", s->url ? s->url : s->socket_path,
		*error ? error : curl_easy_strerror(rc));
	return STATUS_UNREACHABLE;
}
