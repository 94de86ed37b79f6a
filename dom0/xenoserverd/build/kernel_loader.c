// SPDX-License-Identifier: Apache-2.0
/*
 * See kernel_loader.h. All memory that the child needs is mapped before it is
 * confined: its answer and the kernel's bytes, shared with the parent, and an
 * arena for the decoder, its own.
 */
#include "build/kernel_loader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/auto_cleanup.h"

#define FILE_BYTES_MAX (256UL << 20)
/* The largest dictionary, its decoder and the parser's buffers. */
#define ARENA_BYTES (640UL << 20)
#define CPU_SECONDS_MAX 120

/* What the child says, at the start of the shared memory. */
struct answer {
	enum kernel_status status;
	struct kernel_notes notes;
	u64 start_paddr, end_paddr;
	struct kernel_segment segments[KERNEL_SEGMENTS_MAX];
	u32 segment_count;
	char message[160];
};

#define ANSWER_BYTES ALIGN_UP(sizeof(struct answer), PAGE_SIZE)
#define SHARED_BYTES (ANSWER_BYTES + KERNEL_BYTES_MAX)

struct arena {
	u8 *start;
	size_t used;
};

static void *arena_alloc(void *ctx, size_t size_bytes)
{
	struct arena *a = ctx;
	u8 *p = a->start + a->used;

	if (size_bytes > ARENA_BYTES - a->used - 64)
		return NULL;
	a->used += ALIGN_UP(size_bytes, 64);
	return p;
}

struct sink_place {
	u8 *bytes;
	u64 start_paddr, span_bytes;
};

static void *sink_at(void *ctx, u64 paddr, u64 *contiguous)
{
	const struct sink_place *s = ctx;

	*contiguous = s->span_bytes - (paddr - s->start_paddr);
	return s->bytes + (paddr - s->start_paddr);
}

/* In the child: the answer is in shared memory when it returns. */
static void parse(u8 *shared, struct arena *arena, const void *file,
		  size_t file_bytes)
{
	struct scratch scratch = { arena_alloc, arena };
	struct answer *a = (void *)shared;
	struct sink_place place = { .bytes = shared + ANSWER_BYTES };
	struct kernel_sink sink = { sink_at, &place };
	struct kernel_image *k = arena_alloc(arena, sizeof(*k));

	a->status = kernel_image_open(k, file, file_bytes, &scratch);
	if (a->status == KERNEL_OK) {
		place.start_paddr = k->start_paddr;
		place.span_bytes = k->end_paddr - k->start_paddr;
		a->status = kernel_image_load(k, &sink);
	}
	a->notes = k->notes;
	a->start_paddr = k->start_paddr;
	a->end_paddr = k->end_paddr;
	memcpy(a->segments, k->segments, sizeof(a->segments));
	a->segment_count = k->segment_count;
	memcpy(a->message, k->error, sizeof(a->message));
}

/* From here on: compute, and exit. Anything else ends the process. */
static int confine(void)
{
	static struct sock_filter only_exit[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_fprog program = {
		.len = ARRAY_SIZE(only_exit),
		.filter = only_exit,
	};
	static const struct rlimit none = { 0, 0 };
	static const struct rlimit cpu = { CPU_SECONDS_MAX, CPU_SECONDS_MAX };

	if (close_range(0, ~0U, 0) || setrlimit(RLIMIT_CORE, &none) ||
	    setrlimit(RLIMIT_NOFILE, &none) || setrlimit(RLIMIT_FSIZE, &none) ||
	    setrlimit(RLIMIT_CPU, &cpu) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static enum error_code code_of(enum kernel_status status)
{
	switch (status) {
	case KERNEL_NO_PV_ENTRY:
		return ERR_NO_PV_ENTRY;
	case KERNEL_BAD_NOTE:
		return ERR_BAD_NOTE;
	case KERNEL_NOT_RECOGNISED:
	case KERNEL_UNSUPPORTED_COMPRESSION:
		return ERR_NOT_A_KERNEL;
	case KERNEL_NO_MEMORY:
		return ERR_SYSTEM;
	default:
		return ERR_CORRUPT_PAYLOAD;
	}
}

static bool segments_fit(const struct answer *a)
{
	u64 span = a->end_paddr - a->start_paddr;

	if (a->segment_count > KERNEL_SEGMENTS_MAX)
		return false;
	for (u32 i = 0; i < a->segment_count; i++) {
		u64 at = a->segments[i].paddr - a->start_paddr;

		if (a->segments[i].paddr < a->start_paddr || at > span ||
		    a->segments[i].file_bytes > span - at)
			return false;
	}
	return true;
}

/* The child may have been taken over: nothing it says is believed. What the
 * notes mean for the layout is checked where the layout is computed. */
static int accept(struct loaded_kernel *out, u8 *shared, struct error *err)
{
	struct answer a;
	u8 flag;

	memcpy(&a, shared, sizeof(a));
	a.message[sizeof(a.message) - 1] = '\0';
	for (char *c = a.message; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	if (a.status != KERNEL_OK)
		return error_set(err, code_of(a.status), "%s", a.message);
	if ((a.start_paddr | a.end_paddr) & ~PAGE_MASK ||
	    a.start_paddr >= a.end_paddr ||
	    a.end_paddr - a.start_paddr > KERNEL_BYTES_MAX || !segments_fit(&a))
		return error_set(err, ERR_CORRUPT_PAYLOAD,
				 "the kernel's parser was led astray");
	out->notes = a.notes;
	/* A bool that is neither 0 nor 1 is not one. */
	memcpy(&flag, &a.notes.mod_start_pfn, sizeof(flag));
	out->notes.mod_start_pfn = flag != 0;
	out->start_paddr = a.start_paddr;
	out->end_paddr = a.end_paddr;
	memcpy(out->segments, a.segments, sizeof(out->segments));
	out->segment_count = a.segment_count;
	out->bytes = shared + ANSWER_BYTES;
	return 0;
}

static void *map_memory(size_t bytes, int kind)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static int run_child(u8 *shared, const void *file, size_t file_bytes,
		     struct error *err)
{
	struct arena arena = { map_memory(ARENA_BYTES, MAP_PRIVATE), 0 };
	int status;
	pid_t pid;

	if (!arena.start)
		return error_set(err, ERR_SYSTEM, "no memory for a decoder");
	pid = fork();
	if (pid == 0) {
		if (confine())
			_exit(1);
		parse(shared, &arena, file, file_bytes);
		/* Not by way of the library, which may want to do more. */
		for (;;)
			syscall(SYS_exit_group, 0);
	}
	munmap(arena.start, ARENA_BYTES);
	if (pid < 0)
		return error_set(err, ERR_SYSTEM, "fork: %s", strerror(errno));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set(err, ERR_SYSTEM, "waitpid: %s",
					 strerror(errno));
	if (WIFSIGNALED(status))
		return error_set(err, ERR_CORRUPT_PAYLOAD,
				 "the kernel's parser was stopped by signal %d",
				 WTERMSIG(status));
	if (status)
		return error_set(err, ERR_SYSTEM,
				 "the kernel's parser cannot be confined");
	return 0;
}

int kernel_load_bytes(struct loaded_kernel *out, const void *file,
		      size_t file_bytes, struct error *err)
{
	u8 *shared = map_memory(SHARED_BYTES, MAP_SHARED);

	memset(out, 0, sizeof(*out));
	if (!shared)
		return error_set(err, ERR_SYSTEM, "no memory for a kernel");
	out->mapping = shared;
	out->mapping_bytes = SHARED_BYTES;
	if (run_child(shared, file, file_bytes, err) ||
	    accept(out, shared, err)) {
		kernel_unload(out);
		return -1;
	}
	return 0;
}

int kernel_load(struct loaded_kernel *out, const char *path, struct error *err)
{
	int auto_close fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;
	int rc;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERR_NOT_FOUND, "kernel %s: %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (size_t)st.st_size > FILE_BYTES_MAX)
		return error_set(err, ERR_NOT_A_KERNEL,
				 "kernel %s: not a file of up to %lu MiB", path,
				 FILE_BYTES_MAX >> 20);
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return error_set(err, ERR_SYSTEM, "kernel %s: %s", path,
				 strerror(errno));
	rc = kernel_load_bytes(out, file, (size_t)st.st_size, err);
	munmap(file, (size_t)st.st_size);
	if (rc)
		error_prefix(err, "kernel %s", path);
	return rc;
}

void kernel_unload(struct loaded_kernel *k)
{
	if (k->mapping)
		munmap(k->mapping, k->mapping_bytes);
	memset(k, 0, sizeof(*k));
}
