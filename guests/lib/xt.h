/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xt.h - everything a test guest may use.
 *
 * A test defines test_main() and ends in pass(), fail() or skip(), each of
 * which prints the one verdict line and shuts the domain down.  Tests run as
 * Domain 0 straight from the boot loader: one vCPU, events masked, on a
 * 32 KiB stack, with all 256 exceptions caught by the library.
 */
#ifndef XT_H
#define XT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xen/callback.h>
#include <xen/errno.h>
#include <xen/event_channel.h>
#include <xen/features.h>
#include <xen/grant_table.h>
#include <xen/memory.h>
#include <xen/physdev.h>
#include <xen/platform.h>
#include <xen/sched.h>
#include <xen/vcpu.h>
#include <xen/version.h>
#include <xen/xen.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define barrier() __asm__ volatile("" ::: "memory")
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define MS(n) ((u64)(n)*1000000)
#define KIB(n) ((unsigned long)(n) << 10)

extern struct start_info *start_info;
extern struct shared_info *shared_info;

#include "hypercall.h"
#include "machine.h"
#include "mm.h"
#include "trap.h"

/* The registers as the hypervisor set them at the entry point. */
struct entry_regs {
	u64 rax, rbx, rcx, rdx, rsi, rdi, rbp, rsp;
	u64 r8, r9, r10, r11, r12, r13, r14, r15;
	u64 rip, rflags;
	u16 cs, ss, ds, es, fs, gs;
};
extern struct entry_regs entry_regs;

void test_main(void);
/* smp.c: what comes before a test's or a child's own code. */
void guest_begin(struct start_info *si);

/* report.c */
#define PRINTF(f, a) __attribute__((format(printf, f, a)))

__attribute__((noreturn)) PRINTF(1, 2) void pass(const char *fmt, ...);
__attribute__((noreturn)) PRINTF(1, 2) void fail(const char *fmt, ...);
__attribute__((noreturn)) PRINTF(1, 2) void skip(const char *fmt, ...);
/* Announces the deed that must kill the domain, or asks for the NMIs; see
 * expect=crash and nmi=. */
PRINTF(1, 2) void ready(const char *fmt, ...);
__attribute__((noreturn)) void shutdown(unsigned int reason);

/* Fails the test with the message unless the condition holds. */
#define check(cond, ...)                                                       \
	do {                                                                   \
		if (!(cond))                                                   \
			fail(__VA_ARGS__);                                     \
	} while (0)

/* Fails the test unless the call gives exactly this result. */
#define check_eq(call, want)                                                   \
	do {                                                                   \
		long got_ = (long)(call);                                      \
		long want_ = (long)(want);                                     \
                                                                               \
		if (got_ != want_)                                             \
			fail("line %d: %s = %ld, not %ld", __LINE__, #call,    \
			     got_, want_);                                     \
	} while (0)

/* Fails the test unless the call is refused with some -errno. */
#define check_refused(call)                                                    \
	do {                                                                   \
		long got_ = (long)(call);                                      \
                                                                               \
		if (got_ >= 0 || got_ < -4095)                                 \
			fail("line %d: %s = %ld, not refused", __LINE__,       \
			     #call, got_);                                     \
	} while (0)

/* console.c */
PRINTF(1, 2) void print(const char *fmt, ...);
int vformat(char *buf, size_t size_bytes, const char *fmt, va_list ap);

/* string.c */
void *memset(void *dst, int c, size_t n);
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);

#endif /* XT_H */
