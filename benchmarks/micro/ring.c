// SPDX-License-Identifier: Apache-2.0
/*
 * Context switches: a token goes round a ring of processes joined by pipes,
 * and each sums an array of some KiB before it passes the token on. The net
 * figure is the time of one hop less that of the same reads, writes and sums
 * within one process; so are the counts.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "micro.h"

#define MAX_PROCESSES 16
#define TRIPS 400

static const struct {
	int processes, kib;
} rings[] = {
	{ 2, 0 },  { 2, 16 },  { 2, 64 },  { 8, 16 },
	{ 8, 64 }, { 16, 16 }, { 16, 64 },
};

/* Pipe i leads from process i to process i + 1; the last one leads back. */
static int pipes[MAX_PROCESSES][2], process_count;
static size_t words;
static volatile long sink;

static long *array_new(void)
{
	long *array = words ? calloc(words, sizeof(*array)) : NULL;

	CHECK(!words || array);
	return array;
}

static void array_sum(const long *array)
{
	long sum = 0;

	for (size_t i = 0; i < words; i++)
		sum += array[i];
	sink = sum;
}

static void token_put(int i)
{
	char c = 0;

	CHECK(write(pipes[i][1], &c, 1) == 1);
}

static bool token_get(int i)
{
	char c;

	return read(pipes[i][0], &c, 1) == 1;
}

/* The first process's part in `count` trips round the ring. */
static void ring_pass(int count)
{
	long *array = array_new();

	while (count--) {
		token_put(0);
		CHECK(token_get(process_count - 1));
		array_sum(array);
	}
	free(array);
}

/* One process does what all do, without a switch. */
static void ring_alone(int count)
{
	long *array = array_new();

	while (count--)
		for (int i = 0; i < process_count; i++) {
			token_put(i);
			CHECK(token_get(i));
			array_sum(array);
		}
	free(array);
}

static void member(int self)
{
	long *array = array_new();

	for (int i = 0; i < process_count; i++) {
		if (i != self - 1)
			close(pipes[i][0]);
		if (i != self)
			close(pipes[i][1]);
	}
	while (token_get(self - 1)) {
		array_sum(array);
		token_put(self);
	}
	_exit(0);
}

static void measure_ring(int processes, int kib)
{
	struct samples alone, pass;
	pid_t members[MAX_PROCESSES];
	char name[32];

	process_count = processes;
	words = (size_t)kib * 1024 / sizeof(long);
	for (int i = 0; i < processes; i++)
		CHECK(pipe(pipes[i]) == 0);
	measure(ring_alone, TRIPS / processes, &alone);
	for (int i = 1; i < processes; i++) {
		members[i] = fork();
		CHECK(members[i] >= 0);
		if (!members[i])
			member(i);
	}
	measure(ring_pass, TRIPS / processes, &pass);
	printf("R ctxsw_%dp_%dK %.1f %.1f\n", processes, kib,
	       (pass.ns[0] - alone.ns[0]) / processes, pass.ns[0] / processes);
	for (int i = 0; i < COUNTS; i++)
		pass.counts.of[i] -= alone.counts.of[i];
	counts_divide(&pass.counts, processes);
	snprintf(name, sizeof(name), "ctxsw_%dp_%dK", processes, kib);
	print_counts(name, &pass.counts);
	fflush(stdout);
	for (int i = 1; i < processes; i++) {
		kill(members[i], SIGKILL);
		reap();
	}
	for (int i = 0; i < processes; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
}

void measure_rings(void)
{
	for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++)
		measure_ring(rings[i].processes, rings[i].kib);
}
