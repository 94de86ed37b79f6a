/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong: a code for programs, a text for people. A function that can
 * fail takes a struct acct_error * last and returns -1; then it has filled it
 * in.
 */
#ifndef ACCOUNTING_ERROR_H
#define ACCOUNTING_ERROR_H

enum acct_error_code {
	ACCT_OK,
	ACCT_INVALID,   /* what was asked makes no sense */
	ACCT_NOT_FOUND, /* no such source, tariff, row */
	ACCT_EXISTS,
	ACCT_OVERFLOW, /* money beyond 2^63 - 1 micro-units */
	ACCT_CORRUPT,  /* what is stored contradicts itself */
	ACCT_BUSY,     /* another program is writing the store */
	ACCT_STORE,    /* the store failed */
};

struct acct_error {
	enum acct_error_code code;
	char message[240];
};

void acct_error_fill(struct acct_error *err, enum acct_error_code code,
		     const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A macro, so that analysers see the -1. */
#define acct_fail(...) (acct_error_fill(__VA_ARGS__), -1)

#define MUST_CHECK __attribute__((warn_unused_result))

#endif
