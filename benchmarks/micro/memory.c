// SPDX-License-Identifier: Apache-2.0
/*
 * Mappings and page faults. mmap_lat maps a 4 MiB file, touches each 16 KiB
 * and unmaps; prot_fault is a write to a read-only page, caught by a handler;
 * page_fault is one fault per 64 KiB of the file (the kernel maps 16 pages
 * around it), with its share of the unmapping; anon_fault is one zero-filled
 * page; cow_fork is fork, 256 copy-on-write faults in the child, and exit.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "micro.h"

#define TOUCH_BYTES ((size_t)16 << 10)
#define FAULT_AROUND_BYTES ((size_t)64 << 10)
#define COW_BYTES ((size_t)1 << 20)

int map_fd;

static volatile char *prot_page;
static volatile sig_atomic_t prot_left;

static volatile char *map_file(int protection)
{
	void *p = mmap(NULL, MAP_BYTES, protection, MAP_SHARED, map_fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static char *map_anonymous(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	return p;
}

static void mmap_lat(int count)
{
	while (count--) {
		volatile char *p = map_file(PROT_READ | PROT_WRITE);

		for (size_t i = 0; i < MAP_BYTES; i += TOUCH_BYTES)
			(void)p[i];
		munmap((void *)p, MAP_BYTES);
	}
}

static void on_segv(int number)
{
	(void)number;
	if (--prot_left <= 0)
		mprotect((void *)prot_page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static void prot_fault(int count)
{
	struct sigaction action = { .sa_handler = on_segv };

	sigaction(SIGSEGV, &action, NULL);
	mprotect((void *)prot_page, PAGE_BYTES, PROT_READ);
	prot_left = count;
	*prot_page = 1;
}

static void page_fault(int count)
{
	while (count > 0) {
		volatile char *p = map_file(PROT_READ);

		for (size_t i = 0; i < MAP_BYTES && count > 0; count--) {
			(void)p[i];
			i += FAULT_AROUND_BYTES;
		}
		munmap((void *)p, MAP_BYTES);
	}
}

static void anon_fault(int count)
{
	while (count > 0) {
		volatile char *p = map_anonymous(MAP_BYTES);

		for (size_t i = 0; i < MAP_BYTES && count > 0; count--) {
			p[i] = 1;
			i += PAGE_BYTES;
		}
		munmap((void *)p, MAP_BYTES);
	}
}

static void cow_fork(int count)
{
	static char *p;

	if (!p)
		p = map_anonymous(COW_BYTES);
	while (count--) {
		memset(p, 1, COW_BYTES);
		if (!fork()) {
			for (size_t i = 0; i < COW_BYTES; i += PAGE_BYTES)
				p[i] = 2;
			_exit(0);
		}
		reap();
	}
}

/* The halves of page_fault: setting page-table entries, and clearing them. */
void pte_halves(void)
{
	const int ptes = (int)(MAP_BYTES / PAGE_BYTES);
	struct samples set = { .ns = { 0 } }, clear = { .ns = { 0 } };

	for (int r = -1; r < repeats; r++) { /* the first is a warm-up */
		volatile char *p = map_file(PROT_READ);
		struct counts of_set = { { 0 } }, of_clear = { { 0 } };
		double set_ns, clear_ns;

		counts_start(&of_set);
		set_ns = -now_ns();
		for (size_t i = 0; i < MAP_BYTES; i += FAULT_AROUND_BYTES)
			(void)p[i];
		set_ns += now_ns();
		counts_stop(&of_set);
		counts_start(&of_clear);
		clear_ns = -now_ns();
		munmap((void *)p, MAP_BYTES);
		clear_ns += now_ns();
		counts_stop(&of_clear);
		if (r < 0)
			continue;
		samples_add(&set, r, set_ns, &of_set, ptes);
		samples_add(&clear, r, clear_ns, &of_clear, ptes);
	}
	sort_samples(&set);
	sort_samples(&clear);
	print_samples("pte_set", &set);
	print_samples("pte_clear", &clear);
}

const struct row memory_rows[] = {
	{ "mmap_lat", mmap_lat, 12 },       { "prot_fault", prot_fault, 3000 },
	{ "page_fault", page_fault, 1000 }, { "anon_fault", anon_fault, 4000 },
	{ "cow_fork", cow_fork, 8 },
};
const size_t memory_row_count = sizeof(memory_rows) / sizeof(memory_rows[0]);

void memory_set_up(void)
{
	static const char zeros[PAGE_BYTES];

	map_fd = open(WORK_DIR "/map", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	CHECK(map_fd >= 0);
	for (size_t i = 0; i < MAP_BYTES; i += sizeof(zeros))
		CHECK(write(map_fd, zeros, sizeof(zeros)) == sizeof(zeros));
	prot_page = map_anonymous(PAGE_BYTES);
}
