// SPDX-License-Identifier: Apache-2.0
/*
 * xeno-stat: what the hypervisor tells about the node, as key=value lines.
 *
 *   xeno-stat [-n SAMPLES] [-i INTERVAL_MS] [cpus|meters|domain|frames]...
 *
 * Without a name: all of them. Every line starts with the name of its kind;
 * diff_ns is elapsed less sum, lost is total less free, domains and
 * hypervisor. The exit status is 0, also when a difference is not: to judge is
 * the reader's business; 1 when the hypervisor does not answer.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control_call.h"

/* A census of frames that free ones came or went in the middle of is taken
 * again, so often at most. */
#define CENSUS_TRIES 10

static int control_fd;

static void fail(const char *what)
{
	fprintf(stderr, "xeno-stat: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void print_cpus(void)
{
	struct xeno_cpu_counters c = { .cpu = 0 };

	do {
		if (CONTROL_CALL(control_fd, &c, CPU_COUNTERS))
			fail("cpus");
		printf("cpus cpu=%u online=%u entries=%" PRIu64
		       " page_table_loads=%" PRIu64 " copied_bytes=%" PRIu64
		       "\n",
		       c.cpu, c.online, c.entries, c.page_table_loads,
		       c.copied_bytes);
	} while (++c.cpu < c.cpu_count);
}

static void print_meters(void)
{
	struct xeno_meters m;

	memset(&m, 0, sizeof(m));
	if (CONTROL_CALL(control_fd, &m, METERS))
		fail("meters");
	for (unsigned int i = 0; i < XENO_MAX_CPUS; i++)
		if (m.cpu[i].elapsed_ns)
			printf("meters cpu=%u elapsed_ns=%" PRIu64
			       " sum_ns=%" PRIu64 " diff_ns=%" PRId64 "\n",
			       i, m.cpu[i].elapsed_ns, m.cpu[i].sum_ns,
			       (int64_t)(m.cpu[i].elapsed_ns -
					 m.cpu[i].sum_ns));
	printf("meters total elapsed_ns=%" PRIu64 " sum_ns=%" PRIu64
	       " diff_ns=%" PRId64 " idle_ns=%" PRIu64 " irq_ns=%" PRIu64
	       " sched_ns=%" PRIu64 " boot_ns=%" PRIu64 " domains_ns=%" PRIu64
	       "\n",
	       m.elapsed_ns, m.sum_ns, (int64_t)(m.elapsed_ns - m.sum_ns),
	       m.idle_ns, m.irq_ns, m.sched_ns, m.boot_ns, m.domains_ns);
}

static void print_domain(void)
{
	struct xeno_domain_meter d = { .domain_id = XENO_DOMAIN_SELF };

	if (CONTROL_CALL(control_fd, &d, DOMAIN_METER))
		fail("domain");
	printf("domain id=%u vcpus=%u owned_pages=%" PRIu64
	       " max_pages=%" PRIu64 " state_pages=%" PRIu64
	       " shared_pages=%" PRIu64 " state_bytes=%" PRIu64 "\n",
	       d.id, d.vcpu_count, d.owned_pages, d.max_pages, d.state_pages,
	       d.shared_pages, d.state_bytes);
	for (unsigned int i = 0; i < d.vcpu_count; i++)
		printf("vcpu id=%u vcpu=%u cpu_ns=%" PRIu64 "\n", d.id, i,
		       d.vcpu_cpu_ns[i]);
}

struct census {
	uint64_t total, free, domains, hypervisor, unowned;
};

/* false: the number of free frames changed meanwhile. */
static int take_census(struct census *c)
{
	struct xeno_frames f = { .next_mfn = 0 };
	uint64_t free_first = 0;

	memset(c, 0, sizeof(*c));
	do {
		f.first_mfn = f.next_mfn;
		if (CONTROL_CALL(control_fd, &f, FRAMES))
			fail("frames");
		if (!f.first_mfn)
			free_first = f.free;
		c->domains += f.domains;
		c->hypervisor += f.hypervisor;
		c->unowned += f.unowned;
	} while (f.next_mfn);
	c->total = f.total;
	c->free = f.free;
	return f.free == free_first;
}

static void print_frames(void)
{
	struct census c;
	int tries = 1;

	while (!take_census(&c) && tries < CENSUS_TRIES)
		tries++;
	printf("frames total=%" PRIu64 " free=%" PRIu64 " domains=%" PRIu64
	       " hypervisor=%" PRIu64 " lost=%" PRId64 " tries=%d\n",
	       c.total, c.free, c.domains, c.hypervisor,
	       (int64_t)(c.total - c.free - c.domains - c.hypervisor), tries);
}

static const struct {
	const char *name;
	void (*print)(void);
} kinds[] = {
	{ "cpus", print_cpus },
	{ "meters", print_meters },
	{ "domain", print_domain },
	{ "frames", print_frames },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void print_sample(char **names)
{
	for (size_t i = 0; i < KINDS; i++) {
		int wanted = !*names;

		for (char **name = names; *name; name++)
			wanted |= !strcmp(*name, kinds[i].name);
		if (wanted)
			kinds[i].print();
	}
	fflush(stdout);
}

static void check_names(char **names)
{
	for (; *names; names++) {
		size_t i = 0;

		while (i < KINDS && strcmp(*names, kinds[i].name) != 0)
			i++;
		if (i == KINDS) {
			fprintf(stderr, "xeno-stat: nothing is called %s\n",
				*names);
			exit(2);
		}
	}
}

static long number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || value < 1 || value > 1000000) {
		fprintf(stderr, "xeno-stat: no number to use: %s\n", text);
		exit(2);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct timespec pause = { .tv_sec = 1 };
	long samples = 1, interval_ms;
	int option;

	while ((option = getopt(argc, argv, "n:i:")) != -1)
		switch (option) {
		case 'n':
			samples = number(optarg);
			break;
		case 'i':
			interval_ms = number(optarg);
			pause.tv_sec = interval_ms / 1000;
			pause.tv_nsec = interval_ms % 1000 * 1000000;
			break;
		default:
			return 2;
		}
	check_names(argv + optind);
	control_fd = control_open();
	if (control_fd < 0)
		fail("the hypervisor");
	while (samples--) {
		print_sample(argv + optind);
		if (samples)
			nanosleep(&pause, NULL);
	}
	return 0;
}
