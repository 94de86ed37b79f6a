/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are replaced whole: whoever reads one finds the old text or the
 * new one, also after the process, or the machine, has ended in the middle of
 * it; once it has returned 0 it is the new one.
 */
#ifndef UTIL_DURABLE_FILE_H
#define UTIL_DURABLE_FILE_H

#include <stddef.h>

#include "util/error.h"

/* The new text is written to PATH.new first, which may be left behind. */
int durable_file_replace(const char *path, const void *bytes, size_t count,
			 struct error *err);

#endif
