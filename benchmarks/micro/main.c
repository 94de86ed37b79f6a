// SPDX-License-Identifier: Apache-2.0
/*
 * micro: what operating-system primitives cost, one row each, after lmbench:
 * system calls and processes, mappings and page faults, context switches round
 * a ring of pipes, files. Prints "R <row> <minimum ns> <median ns>" per
 * operation; for ctxsw rows "R <row> <net ns> <gross ns>". On a hypervisor that
 * tells what it counts, each row is followed by "C <row> <entries into it>
 * <page-table base loads> <bytes copied>" per operation.
 *
 *   micro [-n REPEATS] [-s SCALE_PERCENT] [ROW-PREFIX...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "micro.h"

int repeats = 5;
int scale_percent = 100;

void check(bool condition, const char *text)
{
	if (condition)
		return;
	perror(text);
	exit(1);
}

double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int scaled(int count)
{
	count = count * scale_percent / 100;
	return count < 4 ? 4 : count;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sort_samples(struct samples *samples)
{
	qsort(samples->ns, (size_t)repeats, sizeof(samples->ns[0]), by_value);
}

void samples_add(struct samples *samples, int r, double ns,
		 const struct counts *counts, int count)
{
	samples->ns[r] = ns / count;
	for (int i = 0; i < COUNTS; i++)
		samples->counts.of[i] +=
			counts->of[i] / ((double)count * repeats);
}

void print_samples(const char *name, const struct samples *samples)
{
	printf("R %s %.1f %.1f\n", name, samples->ns[0],
	       samples->ns[repeats / 2]);
	print_counts(name, &samples->counts);
	fflush(stdout);
}

void measure(operation run, int count, struct samples *samples)
{
	count = scaled(count);
	run(count / 4);
	samples->counts = (struct counts){ { 0 } };
	counts_start(&samples->counts);
	for (int i = 0; i < repeats; i++) {
		double begin_ns = now_ns();

		run(count);
		samples->ns[i] = (now_ns() - begin_ns) / count;
	}
	counts_stop(&samples->counts);
	counts_divide(&samples->counts, (double)repeats * count);
	sort_samples(samples);
}

void reap(void)
{
	CHECK(wait(NULL) > 0);
}

/* Is this row among the prefixes that were asked for, if any were? */
static bool wanted(const char *name, char **prefixes)
{
	bool any = *prefixes != NULL;

	for (; *prefixes; prefixes++)
		if (!strncmp(name, *prefixes, strlen(*prefixes)))
			return true;
	return !any;
}

static void measure_table(const struct row *rows, size_t count, char **prefixes)
{
	for (size_t i = 0; i < count; i++) {
		struct samples samples;

		if (!wanted(rows[i].name, prefixes))
			continue;
		measure(rows[i].run, rows[i].count, &samples);
		print_samples(rows[i].name, &samples);
	}
}

static int number(const char *text, int max)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || value < 1 || value > max) {
		fprintf(stderr, "micro: not from 1 to %d: %s\n", max, text);
		exit(2);
	}
	return (int)value;
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:s:")) != -1)
		switch (option) {
		case 'n':
			repeats = number(optarg, MAX_REPEATS);
			break;
		case 's':
			scale_percent = number(optarg, 10000);
			break;
		default:
			return 2;
		}
	mkdir(WORK_DIR, 0700);
	counts_set_up();
	process_set_up();
	memory_set_up();
	argv += optind;
	measure_table(process_rows, process_row_count, argv);
	measure_table(memory_rows, memory_row_count, argv);
	if (wanted("pte", argv))
		pte_halves();
	if (wanted("ctxsw", argv))
		measure_rings();
	if (wanted("create", argv))
		measure_files();
	return 0;
}
