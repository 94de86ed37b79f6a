// SPDX-License-Identifier: Apache-2.0
/*
 * block DEVICE MODE KIB DEPTH COUNT: what a request to a disk costs.
 *
 * COUNT requests of KIB kibibytes past the page cache, DEPTH of them in flight.
 * MODE is r or w, one after the other, or R or W, anywhere. Prints
 * "B NAME NS": the name of the row and nanoseconds for each request.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "number.h"

#define DEPTH_MAX 256
#define KIB_MAX 65536
#define COUNT_MAX 1000000000

static struct iocb blocks[DEPTH_MAX];
static struct io_event events[DEPTH_MAX];

struct run {
	int fd;
	int writes, anywhere;
	long bytes, depth, count;
	off_t slots; /* requests that fit on the device */
	char *buffer;
	aio_context_t context;
	uint64_t seed;
	long sent, done;
};

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

/* A block of which aio_data is 0 is free. */
static void prepare(struct run *r, long i)
{
	off_t slot = r->sent % r->slots;

	r->seed = r->seed * 6364136223846793005UL + 1442695040888963407UL;
	if (r->anywhere)
		slot = (off_t)(r->seed >> 33) % r->slots;
	blocks[i] = (struct iocb){
		.aio_data = (uint64_t)i + 1,
		.aio_fildes = (uint32_t)r->fd,
		.aio_lio_opcode = r->writes ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_buf = (uintptr_t)(r->buffer + i * r->bytes),
		.aio_nbytes = (uint64_t)r->bytes,
		.aio_offset = slot * r->bytes,
	};
	r->sent++;
}

static void submit(struct run *r)
{
	struct iocb *list[DEPTH_MAX];
	long n = 0;

	for (long i = 0; i < r->depth && r->sent < r->count; i++) {
		if (blocks[i].aio_data)
			continue;
		prepare(r, i);
		list[n++] = &blocks[i];
	}
	if (n && syscall(SYS_io_submit, r->context, n, list) != n)
		die("io_submit");
}

static void reap(struct run *r)
{
	long n = syscall(SYS_io_getevents, r->context, 1, r->depth, events,
			 NULL);

	if (n < 1)
		die("io_getevents");
	for (long i = 0; i < n; i++) {
		if (events[i].res != r->bytes) {
			fprintf(stderr, "block: short: %lld\n",
				(long long)events[i].res);
			exit(1);
		}
		blocks[events[i].data - 1].aio_data = 0;
	}
	r->done += n;
}

int main(int argc, char **argv)
{
	struct run r = { .seed = 1 };
	double start_ns;

	if (argc != 6)
		return 2;
	r.writes = (argv[2][0] | 32) == 'w';
	r.anywhere = argv[2][0] < 'a';
	r.bytes = number(argv[3], 1, KIB_MAX) << 10;
	r.depth = number(argv[4], 1, DEPTH_MAX);
	r.count = number(argv[5], 1, COUNT_MAX);
	r.fd = open(argv[1], O_RDWR | O_DIRECT);
	if (r.fd < 0)
		die(argv[1]);
	r.slots = lseek(r.fd, 0, SEEK_END) / r.bytes;
	r.buffer =
		mmap(NULL, (size_t)(r.bytes * r.depth), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (r.slots < 1 || r.buffer == MAP_FAILED ||
	    syscall(SYS_io_setup, r.depth, &r.context))
		die("setup");
	start_ns = now_ns();
	while (r.done < r.count) {
		submit(&r);
		reap(&r);
	}
	printf("B %s%s_%sK_qd%s %.0f\n", r.anywhere ? "rand" : "seq",
	       r.writes ? "write" : "read", argv[3], argv[4],
	       (now_ns() - start_ns) / (double)r.count);
	return 0;
}
