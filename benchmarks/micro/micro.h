/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of micro share: taking samples of an operation and printing
 * them as a row. A part offers a table of operations, or a function that
 * measures and prints rows by itself where one number per call does not do.
 */
#ifndef MICRO_H
#define MICRO_H

#include <stdbool.h>
#include <stddef.h>

#define WORK_DIR "/tmp/micro"
#define MAX_REPEATS 64
#define MAP_BYTES ((size_t)4 << 20)
#define PAGE_BYTES ((size_t)4096)

/* A failing system call ends the program: a wrong figure is worse than none. */
#define CHECK(condition) check((condition), #condition)

/* What the hypervisor counted while something ran, itself left out: entries
 * from guests, loads of the page-table base, bytes copied from and to guests.
 * Zero, and not printed, where no hypervisor tells. */
#define COUNTS 3
struct counts {
	double of[COUNTS];
};

/* Nanoseconds per operation, one per repetition, ascending after sort; counts
 * per operation, of all repetitions. */
struct samples {
	double ns[MAX_REPEATS];
	struct counts counts;
};

/* Performs the operation `count` times. */
typedef void (*operation)(int count);

struct row {
	const char *name;
	operation run;
	int count;
};

extern int repeats;
extern int scale_percent;

/* The 4 MiB file that mappings are taken of. */
extern int map_fd;

extern const struct row process_rows[], memory_rows[];
extern const size_t process_row_count, memory_row_count;

void check(bool condition, const char *text);
double now_ns(void);
int scaled(int count);
/* Repetition r took that long and counted that much for `count` operations. */
void samples_add(struct samples *samples, int r, double ns,
		 const struct counts *counts, int count);
void sort_samples(struct samples *samples);
void print_samples(const char *name, const struct samples *samples);

/* Takes samples of run(scaled count) after a warm-up of a quarter. */
void measure(operation run, int count, struct samples *samples);

/* counters.c: what is counted from start to stop is added to *sum. */
void counts_set_up(void);
void counts_start(struct counts *sum);
void counts_stop(struct counts *sum);
void counts_divide(struct counts *sum, double operations);
void print_counts(const char *name, const struct counts *counts);

/* Waits for one child. */
void reap(void);

void process_set_up(void);
void memory_set_up(void);
void pte_halves(void);
void measure_rings(void);
void measure_files(void);

#endif
