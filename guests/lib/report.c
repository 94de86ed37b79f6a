/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the one verdict line of a test, then the end of the domain.
 *
 * The line goes out in a single console write so that nothing of the
 * hypervisor's own output can land in the middle of it.
 */
#include "child.h"

static volatile u32 reported;

static void verdict(const char *word, const char *fmt, va_list ap)
{
	char text[200];
	char line[256];
	int n = 0;
	const char *parts[] = {
		"\nXT ", TEST_NAME, " ", word, " ", text, "\n",
	};

	vformat(text, sizeof(text), fmt, ap);
	/* A child's word is for its Domain 0 only. */
	if (is_child) {
		memcpy(&mailbox[1], text, sizeof(text));
		WRITE_ONCE(mailbox[0], (u8)word[0]);
		return;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++)
		for (const char *s = parts[i]; *s && n < 255; s++)
			line[n++] = *s;
	console_write(line, n);
}

void shutdown(unsigned int reason)
{
	struct sched_shutdown arg = { .reason = reason };

	for (;;)
		sched_op(SCHEDOP_shutdown, &arg);
}

/* Only the first vCPU to reach a verdict reports it; others stop here. */
static void end_test(const char *word, const char *fmt, va_list ap)
{
	if (__atomic_exchange_n(&reported, 1, __ATOMIC_SEQ_CST))
		for (;;)
			sched_op(SCHEDOP_yield, NULL);
	verdict(word, fmt, ap);
	shutdown(SHUTDOWN_reboot);
}

void pass(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end_test("PASS", fmt, ap);
	__builtin_unreachable();
}

void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end_test("FAIL", fmt, ap);
	__builtin_unreachable();
}

void skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	end_test("SKIP", fmt, ap);
	__builtin_unreachable();
}

void ready(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	verdict("READY", fmt, ap);
	va_end(ap);
}
