/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error value: a code for programs, a text for people, built where the
 * fault is found. A function that can fail takes a struct error * last and
 * returns -1, or NULL; then it has filled it in.
 */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

enum error_code {
	ERR_NONE,
	ERR_INVALID,   /* what was asked makes no sense */
	ERR_NOT_FOUND, /* no such domain, file, device */
	ERR_EXISTS,
	ERR_BUSY,
	ERR_NO_MEMORY,   /* of the node, for the domain */
	ERR_UNSUPPORTED, /* this hypervisor cannot do it */
	ERR_SYSTEM,      /* a call failed that should not */
	/* Of kernels. */
	ERR_NOT_A_KERNEL,
	ERR_NO_PV_ENTRY,
	ERR_BAD_NOTE,
	ERR_CORRUPT_PAYLOAD,
	ERR_TOO_LITTLE_MEMORY, /* the domain's, for this kernel */
	ERR_MISSING_RAMDISK,
};

struct error {
	enum error_code code;
	char message[200];
};

void error_fill(struct error *err, enum error_code code, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* A macro, so that analysers see the -1. */
#define error_set(...) (error_fill(__VA_ARGS__), -1)

/* Puts "text: " in front of the message, once per layer at most. */
void error_prefix(struct error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A stable word for the code. */
const char *error_word(enum error_code code);

#endif
