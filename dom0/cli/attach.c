// SPDX-License-Identifier: Apache-2.0
/* A domain's console on this terminal, over a WebSocket, until Ctrl-] or until
 * it closes. If the input is no terminal, its end does not end the output. */
#include <curl/curl.h>
#include <errno.h>
#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <unistd.h>

#include "frame.h"
#include "run.h"
#include "wait.h"

#define LEAVE 0x1d /* Ctrl-] */
#define HEAD_MAX_BYTES 16384
#define KEY_BYTES 16
/* The node takes frames of up to 4096 bytes. */
#define TYPED_MAX_BYTES 1024
#define CLOSED_USUALLY 1000
#define CLOSED_WITH_DOMAIN 1001

struct attachment {
	CURL *curl;
	int fd;
	struct frame_reader reader;
	bool raw, over, input_over;
	struct termios before;
	unsigned int code; /* with which it was closed; 0: it was not */
};

static void random_bytes(void *out, size_t count)
{
	if (getrandom(out, count, 0) != (ssize_t)count)
		abort();
}

/* false: the connection is gone. */
static bool send_all(struct attachment *a, const char *bytes, size_t count)
{
	while (count) {
		struct pollfd p = { .fd = a->fd, .events = POLLOUT };
		size_t sent = 0;
		CURLcode rc = curl_easy_send(a->curl, bytes, count, &sent);

		if (rc != CURLE_OK && rc != CURLE_AGAIN)
			return false;
		bytes += sent;
		count -= sent;
		if (rc == CURLE_AGAIN && poll(&p, 1, -1) < 0 && errno != EINTR)
			return false;
	}
	return true;
}

static void send_frame(struct attachment *a, unsigned int opcode,
		       const char *bytes, size_t count)
{
	struct strbuf frame = { .text = NULL };
	uint8_t mask[4];

	random_bytes(mask, sizeof(mask));
	frame_add(&frame, opcode, bytes, count, mask);
	if (!send_all(a, frame.text, frame.length))
		a->over = true;
	strbuf_clear(&frame);
}

static void print_data(void *context, const char *bytes, size_t count)
{
	struct attachment *a = context;

	if (fwrite(bytes, 1, count, stdout) != count || fflush(stdout))
		a->over = true;
}

static void take_control(void *context, unsigned int opcode, const char *bytes,
			 size_t count)
{
	struct attachment *a = context;

	if (opcode == FRAME_PING)
		send_frame(a, FRAME_PONG, bytes, count);
	if (opcode != FRAME_CLOSE || a->over)
		return;
	a->code = count < 2 ? CLOSED_USUALLY
			    : (unsigned int)(unsigned char)bytes[0] << 8 |
				      (unsigned char)bytes[1];
	send_frame(a, FRAME_CLOSE, bytes, count);
	a->over = true;
}

static void encode(char *out, size_t count, const uint8_t *bytes)
{
	base64_encode_raw(out, count, bytes);
	out[BASE64_ENCODE_RAW_LENGTH(count)] = '\0';
}

/* What the node has to answer to a key. */
static void accept_of(const char *key, char *out)
{
	static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	uint8_t digest[SHA1_DIGEST_SIZE];
	struct sha1_ctx sha;

	sha1_init(&sha);
	sha1_update(&sha, strlen(key), (const uint8_t *)key);
	sha1_update(&sha, sizeof(suffix) - 1, (const uint8_t *)suffix);
	sha1_digest(&sha, sizeof(digest), digest);
	encode(out, sizeof(digest), digest);
}

static bool wait_readable(struct attachment *a)
{
	struct pollfd p = { .fd = a->fd, .events = POLLIN };
	int rc = poll(&p, 1, 60000);

	return rc > 0 || (rc < 0 && errno == EINTR);
}

/* More bytes onto the text; false: there are no more. */
static bool receive(struct attachment *a, struct strbuf *text)
{
	char block[4096];
	size_t got = 0;
	CURLcode rc;

	while ((rc = curl_easy_recv(a->curl, block, sizeof(block), &got)) ==
	       CURLE_AGAIN)
		if (!wait_readable(a))
			return false;
	if (rc != CURLE_OK || !got)
		return false;
	strbuf_add_bytes(text, block, got);
	return true;
}

static const char *header(const char *head, const char *name, size_t *length)
{
	const char *at = strcasestr(head, name);

	if (!at)
		return NULL;
	at += strlen(name);
	at += strspn(at, " ");
	*length = strcspn(at, "\r");
	return at;
}

/* The node has answered something else: mostly a problem. */
static enum status refused(const struct call *c, struct attachment *a,
			   struct strbuf *got, size_t head_bytes)
{
	struct response problem = { .status = 0 };
	size_t length, body_bytes = 0;
	const char *text = header(got->text, "\nContent-Length:", &length);
	enum status status;

	if (text)
		body_bytes = strtoul(text, NULL, 10);
	while (got->length < head_bytes + body_bytes &&
	       got->length < HEAD_MAX_BYTES && receive(a, got))
		;
	problem.status = strtol(got->text + strcspn(got->text, " "), NULL, 10);
	strbuf_add(&problem.text, "%s", got->text + head_bytes);
	status = problem_report(&c->settings, &problem);
	response_clear(&problem);
	return status;
}

static void add_request(struct strbuf *out, const struct call *c,
			const struct request *r, const char *key)
{
	const char *why, *token = token_of(&c->settings, &why);
	const char *host = strstr(base_url(&c->settings), "://") + 3;

	strbuf_add(out,
		   "GET %s HTTP/1.1\r\nHost: %.*s\r\nUpgrade: websocket\r\n"
		   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		   "Sec-WebSocket-Key: %s\r\n",
		   r->target.text, (int)strcspn(host, "/"), host, key);
	if (token)
		strbuf_add(out, "Authorization: Bearer %s\r\n", token);
	strbuf_add(out, "\r\n");
}

static enum status shake_hands(const struct call *c, struct attachment *a,
			       const struct request *r)
{
	struct strbuf text = { .text = NULL }, got = { .text = NULL };
	char key[32], expected[32];
	uint8_t random[KEY_BYTES];
	enum status status = STATUS_OK;
	const char *answer, *end = NULL;
	size_t length = 0, head_bytes;

	random_bytes(random, sizeof(random));
	encode(key, sizeof(random), random);
	accept_of(key, expected);
	add_request(&text, c, r, key);
	if (!send_all(a, text.text, text.length))
		status = STATUS_UNREACHABLE;
	while (status == STATUS_OK &&
	       (!got.text || !(end = strstr(got.text, "\r\n\r\n"))))
		if (got.length > HEAD_MAX_BYTES || !receive(a, &got))
			status = STATUS_UNREACHABLE;
	if (status != STATUS_OK) {
		fprintf(stderr, "xeno: the node has closed the connection\n");
	} else {
		head_bytes = (size_t)(end - got.text) + 4;
		answer = header(got.text, "\nSec-WebSocket-Accept:", &length);
		if (strncmp(got.text, "HTTP/1.1 101 ", 13) != 0) {
			status = refused(c, a, &got, head_bytes);
		} else if (!answer || length != strlen(expected) ||
			   memcmp(answer, expected, length) != 0) {
			fprintf(stderr, "xeno: this is no WebSocket\n");
			status = STATUS_NODE_FAILED;
		} else if (!frame_feed(&a->reader, got.text + head_bytes,
				       got.length - head_bytes)) {
			a->over = true;
		}
	}
	explicit_bzero(text.text, text.length);
	strbuf_clear(&text);
	strbuf_clear(&got);
	return status;
}

/* What is typed, up to the key that leaves. */
static void pass_input(struct attachment *a)
{
	char typed[TYPED_MAX_BYTES];
	ssize_t count = read(STDIN_FILENO, typed, sizeof(typed));
	char *leave;

	if (count <= 0) {
		a->input_over = true;
		return;
	}
	leave = a->raw ? memchr(typed, LEAVE, (size_t)count) : NULL;
	if (leave)
		count = leave - typed;
	if (count)
		send_frame(a, FRAME_BINARY, typed, (size_t)count);
	if (!leave)
		return;
	send_frame(a, FRAME_CLOSE, "\x03\xe8", 2);
	a->code = CLOSED_USUALLY;
	a->over = true;
}

static void pass_output(struct attachment *a)
{
	char block[4096];
	size_t got = 0;
	CURLcode rc;

	/* All that there is, for TLS may hold what poll() does not see. */
	while (!a->over && (rc = curl_easy_recv(a->curl, block, sizeof(block),
						&got)) != CURLE_AGAIN)
		if (rc != CURLE_OK || !got ||
		    !frame_feed(&a->reader, block, got))
			a->over = true;
}

static void go_raw(struct attachment *a)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &a->before))
		return;
	raw = a->before;
	cfmakeraw(&raw);
	a->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
	if (a->raw)
		fprintf(stderr, "Ctrl-] leaves the console.\r\n");
}

static enum status talk(struct attachment *a)
{
	go_raw(a);
	pass_output(a);
	while (!a->over) {
		struct pollfd p[] = {
			{ .fd = a->fd, .events = POLLIN },
			{ .fd = a->input_over ? -1 : STDIN_FILENO,
			  .events = POLLIN },
		};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			pass_input(a);
		if (p[0].revents)
			pass_output(a);
	}
	if (a->raw) {
		tcsetattr(STDIN_FILENO, TCSANOW, &a->before);
		fputc('\n', stderr);
	}
	if (a->code == CLOSED_USUALLY || a->code == CLOSED_WITH_DOMAIN)
		return STATUS_OK;
	if (a->code)
		fprintf(stderr, "xeno: the node has closed the console: %u\n",
			a->code);
	else
		fprintf(stderr, "xeno: the connection is lost\n");
	return STATUS_FAILED;
}

enum status run_attach(struct call *c)
{
	struct attachment a = { .reader = { .data = print_data,
					    .control = take_control } };
	enum status status;
	struct request r;
	curl_socket_t fd;

	a.reader.context = &a;
	if (request_make(&r, c))
		return STATUS_USAGE;
	request_add_header(&r, "Connection: Upgrade");
	request_add_header(&r, "Upgrade: websocket");
	request_add_header(&r, "Sec-WebSocket-Version: 13");
	request_add_header(&r, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==");
	if (show_request(c, &r)) {
		request_clear(&r);
		return STATUS_OK;
	}
	status = http_connect(&c->settings, &a.curl);
	if (status == STATUS_OK) {
		curl_easy_getinfo(a.curl, CURLINFO_ACTIVESOCKET, &fd);
		a.fd = (int)fd;
		status = shake_hands(c, &a, &r);
	}
	if (status == STATUS_OK)
		status = talk(&a);
	curl_easy_cleanup(a.curl);
	request_clear(&r);
	return status;
}
