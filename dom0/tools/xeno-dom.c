// SPDX-License-Identifier: Apache-2.0
/*
 * xeno-dom: domains, for engineers.
 *
 *   xeno-dom [-s SOCKET] VERB WORD...         asks xenoserverd, which serves
 *   xeno-dom [-s SOCKET] help                 asks it what it can be asked
 *   xeno-dom [-s SOCKET] console DOMAIN       this terminal is its console,
 *                                             until Ctrl-]
 *
 * "create FILE" describes the domain: see model/domain_config.h. The exit
 * status is 0, 1 when it cannot be done, 2 when it cannot be asked for. It is a
 * program of its own, without the libraries that the serving one needs: to load
 * those took more instructions than to list all domains.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "util/strbuf.h"

#define DEFAULT_SOCKET "/run/xeno-dom.socket"
#define CTRL_RIGHT_BRACKET 0x1d

static int complain(const char *what)
{
	fprintf(stderr, "xeno-dom: %s: %s\n", what, strerror(errno));
	return 2;
}

static int read_file(struct strbuf *to, const char *path)
{
	char bytes[4096];
	ssize_t n;
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO
					: open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		strbuf_add_bytes(to, bytes, (size_t)n);
	if (fd != STDIN_FILENO)
		close(fd);
	return (int)n;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncat(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (fd >= 0 &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t n = write(fd, bytes, count);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		count -= (size_t)n;
	}
	return 0;
}

static int send_request(int fd, char **words, int count)
{
	struct strbuf body = { .text = NULL };
	uint32_t length;
	int rc;

	for (int i = 0; i < count; i++) {
		if (i == 1 && (strcmp(words[0], "create") == 0 ||
			       strcmp(words[0], "rules") == 0)) {
			if (read_file(&body, words[i])) {
				strbuf_clear(&body);
				return -1;
			}
		} else {
			strbuf_add(&body, "%s", words[i]);
		}
		strbuf_add_bytes(&body, "", 1);
	}
	length = (uint32_t)body.length;
	rc = write_all(fd, (const char *)&length, sizeof(length)) ||
	     write_all(fd, body.text, body.length);
	strbuf_clear(&body);
	return rc ? -1 : 0;
}

/* The first line of the answer: 0 if it is "ok". */
static int read_verdict(int fd)
{
	char line[512];
	size_t length = 0;

	while (length < sizeof(line) - 1 && read(fd, line + length, 1) == 1 &&
	       line[length] != '\n')
		length++;
	line[length] = '\0';
	if (strcmp(line, "ok") == 0)
		return 0;
	fprintf(stderr, "xeno-dom: %s\n", length ? line : "no answer");
	return 1;
}

static int copy_to_end(int fd)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		if (write_all(STDOUT_FILENO, bytes, (size_t)n))
			return complain("standard output");
	return 0;
}

static void console(int fd)
{
	struct pollfd p[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
			       { .fd = fd, .events = POLLIN } };
	char bytes[4096], *end;
	ssize_t n;

	while (poll(p, 2, -1) >= 0) {
		if (p[1].revents) {
			n = read(fd, bytes, sizeof(bytes));
			if (n <= 0 ||
			    write_all(STDOUT_FILENO, bytes, (size_t)n))
				return;
		}
		if (p[0].revents) {
			n = read(STDIN_FILENO, bytes, sizeof(bytes));
			end = n > 0 ? memchr(bytes, CTRL_RIGHT_BRACKET,
					     (size_t)n)
				    : NULL;
			/* Nothing more will be typed: goes on listening. */
			if (n <= 0)
				p[0].fd = -1;
			else if (write_all(fd, bytes,
					   end ? (size_t)(end - bytes)
					       : (size_t)n) ||
				 end)
				return;
		}
	}
}

static void raw_console(int fd)
{
	struct termios saved, raw;
	int terminal = tcgetattr(STDIN_FILENO, &saved) == 0;

	if (terminal) {
		raw = saved;
		cfmakeraw(&raw);
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	}
	console(fd);
	if (terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &saved);
}

static int ask(const char *socket_path, char **words, int count)
{
	int fd = connect_to(socket_path);
	int rc;

	if (fd < 0)
		return complain(socket_path);
	if (send_request(fd, words, count))
		return complain(count > 1 ? words[1] : socket_path);
	rc = read_verdict(fd);
	if (rc == 0 && strcmp(words[0], "console") == 0)
		raw_console(fd);
	else if (rc == 0)
		rc = copy_to_end(fd);
	close(fd);
	return rc;
}

static int usage(void)
{
	fprintf(stderr, "usage: xeno-dom [-s SOCKET] VERB...\n"
			"  help\n  console DOMAIN\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *socket_path = DEFAULT_SOCKET;

	argv++;
	argc--;
	if (argc >= 2 && strcmp(argv[0], "-s") == 0) {
		socket_path = argv[1];
		argv += 2;
		argc -= 2;
	}
	if (argc < 1)
		return usage();
	return ask(socket_path, argv, argc);
}
