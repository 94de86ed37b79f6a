// SPDX-License-Identifier: Apache-2.0
/*
 * net s PORT                   serves one connection after the other, for ever
 * net c HOST PORT KIB ROW      sends KIB in writes of 16 KiB until all is there
 * net r HOST PORT COUNT ROW    COUNT exchanges of one byte
 *
 * Prints "N ROW NS": nanoseconds for each byte of payload, or for each
 * exchange.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "number.h"

#define WRITE_BYTES 16384
#define PORT_MAX 65535
#define COUNT_MAX 1000000000
#define CONNECT_TRIES 100
#define CONNECT_PAUSE_US 100000

static char buffer[65536];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void no_delay(int s)
{
	int on = 1;

	if (setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		die("TCP_NODELAY");
}

static void serve_one(int c)
{
	char mode;

	no_delay(c);
	if (read(c, &mode, 1) != 1)
		return;
	while (read(c, buffer, sizeof(buffer)) > 0)
		if (mode == 'r' && write(c, buffer, 1) != 1)
			return;
	if (mode == 'c' && write(c, &mode, 1) != 1)
		return;
}

static void serve(long port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port) };
	int l = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(l, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(l, (void *)&a, sizeof(a)) || listen(l, 8))
		die("bind");
	for (;;) {
		int c = accept(l, NULL, NULL);

		if (c < 0)
			die("accept");
		serve_one(c);
		close(c);
	}
}

static int connect_to(const char *host, long port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, host, &a.sin_addr);
	for (int i = 0; i < CONNECT_TRIES; i++) {
		int s = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(s, (void *)&a, sizeof(a)) == 0) {
			no_delay(s);
			return s;
		}
		close(s);
		usleep(CONNECT_PAUSE_US);
	}
	die("connect");
	return -1;
}

static void exchange(int s, long count)
{
	for (long i = 0; i < count; i++)
		if (write(s, buffer, 1) != 1 || read(s, buffer, 1) != 1)
			die("exchange");
}

static void send_all(int s, long bytes)
{
	for (; bytes > 0; bytes -= WRITE_BYTES)
		if (write(s, buffer, WRITE_BYTES) != WRITE_BYTES)
			die("write");
	shutdown(s, SHUT_WR);
	if (read(s, buffer, 1) != 1)
		die("acknowledgement");
}

int main(int argc, char **argv)
{
	double start_ns, units;
	long count;
	char mode;
	int s;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 3)
		serve(number(argv[2], 1, PORT_MAX));
	if (argc != 6)
		return 2;
	mode = argv[1][0];
	count = number(argv[4], 1, COUNT_MAX);
	s = connect_to(argv[2], number(argv[3], 1, PORT_MAX));
	start_ns = now_ns();
	if (write(s, &mode, 1) != 1)
		die("write");
	if (mode == 'r') {
		exchange(s, count);
		units = (double)count;
	} else {
		send_all(s, count * 1024);
		units = (double)count * 1024;
	}
	printf("N %s %.3f\n", argv[5], (now_ns() - start_ns) / units);
	return 0;
}
