// SPDX-License-Identifier: Apache-2.0
/*
 * What the hypervisor counts while an operation runs. To read the counters is
 * itself an entry, with copies, of the same size each time: it is measured in
 * the beginning and taken off.
 */
#include <stdio.h>

#include "control_call.h"
#include "micro.h"

#define CALIBRATIONS 8

static int control_fd = -1;
static struct counts overhead; /* of one stop after a start */

static struct counts counts_now(void)
{
	struct xeno_cpu_counters c = { .cpu = 0 };
	struct counts now = { { 0 } };

	do {
		CHECK(CONTROL_CALL(control_fd, &c, CPU_COUNTERS) == 0);
		now.of[0] += (double)c.entries;
		now.of[1] += (double)c.page_table_loads;
		now.of[2] += (double)c.copied_bytes;
	} while (++c.cpu < c.cpu_count);
	return now;
}

void counts_start(struct counts *sum)
{
	struct counts now;

	if (control_fd < 0)
		return;
	now = counts_now();
	for (int i = 0; i < COUNTS; i++)
		sum->of[i] -= now.of[i];
}

void counts_stop(struct counts *sum)
{
	struct counts now;

	if (control_fd < 0)
		return;
	now = counts_now();
	for (int i = 0; i < COUNTS; i++)
		sum->of[i] += now.of[i] - overhead.of[i];
}

void counts_divide(struct counts *sum, double operations)
{
	for (int i = 0; i < COUNTS; i++)
		sum->of[i] /= operations;
}

/* The least of several: others had an interrupt in the middle. */
void counts_set_up(void)
{
	struct counts least = { { 0 } };

	control_fd = control_open();
	for (int n = 0; n < CALIBRATIONS; n++) {
		struct counts sum = { { 0 } };

		counts_start(&sum);
		counts_stop(&sum);
		for (int i = 0; i < COUNTS; i++)
			if (!n || sum.of[i] < least.of[i])
				least.of[i] = sum.of[i];
	}
	overhead = least;
}

void print_counts(const char *name, const struct counts *counts)
{
	if (control_fd < 0)
		return;
	printf("C %s", name);
	for (int i = 0; i < COUNTS; i++)
		printf(" %.2f", counts->of[i]);
	printf("\n");
}
