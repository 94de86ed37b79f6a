/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages. log_error: we are wrong; log_warn: an operator should look;
 * log_info: life cycle, once per event; log_debug: compiled out of release
 * builds. What a guest can cause goes through guest_log (hv/domain.h), which
 * is rate limited. Callable from any context with any lock held.
 */
#ifndef HV_LOG_H
#define HV_LOG_H

#include <hv/types.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_at(enum log_level level, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define log_error(...) log_at(LOG_ERROR, __VA_ARGS__)
#define log_warn(...) log_at(LOG_WARN, __VA_ARGS__)
#define log_info(...) log_at(LOG_INFO, __VA_ARGS__)
#ifdef XENO_DEBUG
#define log_debug(...) log_at(LOG_DEBUG, __VA_ARGS__)
#else
#define log_debug(...) ((void)0)
#endif

/* Prints reason, registers, backtrace and stops every CPU. For broken
 * invariants of our own only; no input of a guest may reach it. */
void panic(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;

/* The same for a trap in the hypervisor, with its registers. */
struct guest_regs;
void panic_regs(const struct guest_regs *regs, const char *fmt, ...)
	PRINTF_LIKE(2, 3) NORETURN;

void log_set_level(enum log_level level);

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (unlikely(!(cond)))                                         \
			panic("%s:%d: CHECK(%s)", __FILE__, __LINE__, #cond);  \
	} while (0)

#endif
