/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a console has said, in a file NAME.log of a folder: a byte's place in
 * the file is its place among all that there ever were, and room is given back
 * at the front, so that a bounded part of the end is kept. How much is dropped
 * follows from the file's size alone: nothing else has to be remembered, and
 * who reads and who writes need not know of each other.
 */
#ifndef CONSOLE_CONSOLE_LOG_H
#define CONSOLE_CONSOLE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define CONSOLE_LOG_KEPT_BYTES (1U << 20) /* at least */
#define CONSOLE_LOG_MOST_BYTES (CONSOLE_LOG_KEPT_BYTES + (64U << 10))

/* -1: cannot be opened. */
int console_log_open(const char *folder, const char *name);
/* -1: the log is not to be had any more. */
int console_log_add(int fd, const char *bytes, size_t count);
void console_log_remove(const char *folder, const char *name);

struct console_part {
	uint64_t offset, count; /* of what is wanted; of what was got */
	uint64_t size, dropped; /* of all */
};

/* p->offset and count: which bytes are wanted. UINT64_MAX as offset: the last
 * count ones. out has room for CONSOLE_LOG_MOST_BYTES. A log that was never
 * written is empty. */
int console_log_read(const char *folder, const char *name,
		     struct console_part *p, char *out, struct error *err);

#endif
