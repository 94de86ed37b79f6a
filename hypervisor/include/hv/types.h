/* SPDX-License-Identifier: Apache-2.0 */
/* Fixed-width names, page geometry and the few macros every room needs. */
#ifndef HV_TYPES_H
#define HV_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define PAGE_SHIFT 12
#define PAGE_SIZE 4096UL
#define PAGE_MASK (~(PAGE_SIZE - 1))

#define ALIGN_UP(x, a) (((x) + (a)-1) & ~((u64)(a)-1))
#define ALIGN_DOWN(x, a) ((x) & ~((u64)(a)-1))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define container_of(ptr, type, member)                                        \
	((type *)((char *)(ptr)-offsetof(type, member)))

#define MUST_CHECK __attribute__((warn_unused_result))
#define NOINLINE __attribute__((noinline))
#define NORETURN __attribute__((noreturn))
#define ALIGNED(n) __attribute__((aligned(n)))
#define PACKED __attribute__((packed))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Exactly one load or store, so that a racing writer cannot make the compiler
 * see two values. */
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define barrier() __asm__ volatile("" ::: "memory")

#endif
