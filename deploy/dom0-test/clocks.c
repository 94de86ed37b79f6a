// SPDX-License-Identifier: Apache-2.0
/*
 * clocks: prints "CLOCKS monotonic_ns=... realtime_ns=...".
 * clocks SECONDS: moves from CPU to CPU all that time and prints
 * "CLOCKS hops=... backwards=... worst_ns=...": how often the monotonic clock
 * read on one CPU was behind a reading made before on another. Its exit status
 * is 1 if it ever was.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int64_t read_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int hop(int64_t duration_ns)
{
	int cpu_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int64_t last_ns = read_ns(CLOCK_MONOTONIC);
	int64_t end_ns = last_ns + duration_ns;
	int64_t worst_ns = 0;
	uint64_t hops = 0, backwards = 0;

	while (last_ns < end_ns) {
		cpu_set_t set;
		int64_t now_ns;

		CPU_ZERO(&set);
		CPU_SET(hops++ % (unsigned int)cpu_count, &set);
		if (sched_setaffinity(0, sizeof(set), &set)) {
			perror("sched_setaffinity");
			return 1;
		}
		now_ns = read_ns(CLOCK_MONOTONIC);
		if (now_ns < last_ns) {
			backwards++;
			if (last_ns - now_ns > worst_ns)
				worst_ns = last_ns - now_ns;
		}
		last_ns = now_ns;
	}
	printf("CLOCKS hops=%" PRIu64 " backwards=%" PRIu64 " worst_ns=%" PRId64
	       "\n",
	       hops, backwards, worst_ns);
	return backwards != 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return hop(strtol(argv[1], NULL, 10) * INT64_C(1000000000));
	printf("CLOCKS monotonic_ns=%" PRId64 " realtime_ns=%" PRId64 "\n",
	       read_ns(CLOCK_MONOTONIC), read_ns(CLOCK_REALTIME));
	return 0;
}
