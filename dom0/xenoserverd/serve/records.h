/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a later process has to know about domains that go on without this one:
 * a file per domain, in a folder that does not outlive Domain 0. A file is
 * replaced whole: a process that ends while it writes leaves the old one.
 */
#ifndef SERVE_RECORDS_H
#define SERVE_RECORDS_H

#include <stdint.h>

#include "model/domain_config.h"

/* Of a configuration, with its end. */
#define RECORD_TEXT_MAX 65536

enum record_state {
	RECORD_BUILDING, /* not yet started: nobody misses it */
	RECORD_RUNNING,
	RECORD_ENDED,      /* shut down, and kept */
	RECORD_RESTARTING, /* the old one goes, a new one comes */
};

struct record {
	enum record_state state;
	uint32_t id;
	int64_t created_s; /* of CLOCK_MONOTONIC */
	char *text;        /* its configuration, for free() */
};

/* The folder is created if need be. */
int records_open(const char *folder, struct error *err);
int record_write(const char *folder, const char *name, const struct record *r,
		 struct error *err);
void record_remove(const char *folder, const char *name);
/* Calls found for each record; a file that makes no sense is left out, with a
 * message. r->text is the callee's. */
int records_read(const char *folder,
		 void (*found)(void *context, const struct record *r),
		 void *context, struct error *err);

#endif
