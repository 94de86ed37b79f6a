// SPDX-License-Identifier: Apache-2.0
/* See listener.h. */
#include "api/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 128
#define PEM_MAX_BYTES 65536

static int fail(int fd, const char *what, struct error *err)
{
	error_fill(err, ERR_SYSTEM, "%s: %s", what, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

int listen_local(const char *path, gid_t group, struct error *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return error_set(err, ERR_INVALID, "%s: too long", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fail(fd, path, err);
	/* Nobody can connect before it listens. */
	if (chown(path, (uid_t)-1, group) || chmod(path, 0660) ||
	    listen(fd, BACKLOG))
		return fail(fd, path, err);
	return fd;
}

static bool is_loopback(const struct addrinfo *a)
{
	if (a->ai_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)a->ai_addr;

		return ntohl(in->sin_addr.s_addr) >> 24 == 127;
	}
	if (a->ai_family == AF_INET6) {
		const struct sockaddr_in6 *in = (const void *)a->ai_addr;

		return IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	}
	return false;
}

/* For freeaddrinfo. */
static struct addrinfo *resolve(const char *text, struct error *err)
{
	static const struct addrinfo numeric = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	const char *colon = strrchr(text, ':');
	struct addrinfo *found = NULL;
	char host[64];
	size_t length = colon ? (size_t)(colon - text) : 0;

	if (*text == '[' && length > 1 && text[length - 1] == ']') {
		text++;
		length -= 2;
	}
	if (!length || length >= sizeof(host)) {
		error_fill(err, ERR_INVALID, "%s: no ADDRESS:PORT", text);
		return NULL;
	}
	memcpy(host, text, length);
	host[length] = '\0';
	if (getaddrinfo(host, colon + 1, &numeric, &found)) {
		error_fill(err, ERR_INVALID, "%s: no ADDRESS:PORT", text);
		return NULL;
	}
	return found;
}

int listen_tcp(const char *address, bool loopback, struct error *err)
{
	struct addrinfo *a = resolve(address, err);
	int fd, on = 1;

	if (!a)
		return -1;
	if (loopback && !is_loopback(a)) {
		freeaddrinfo(a);
		return error_set(err, ERR_INVALID,
				 "%s: without TLS only the loopback is served",
				 address);
	}
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    0);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG)) {
		freeaddrinfo(a);
		return fail(fd, address, err);
	}
	freeaddrinfo(a);
	return fd;
}

char *read_pem(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = calloc(1, PEM_MAX_BYTES + 1);
	ssize_t count = fd >= 0 && text ? read(fd, text, PEM_MAX_BYTES) : -1;

	if (count <= 0) {
		error_fill(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}
