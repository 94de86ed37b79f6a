/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that were given to requests with a key of the client's choice, kept
 * for a day: written in the transaction of what the request has made, so that
 * there is the one if and only if there is the other. */
#ifndef STORE_IDEMPOTENCY_ROWS_H
#define STORE_IDEMPOTENCY_ROWS_H

#include <stdint.h>

#include "store/db.h"
#include "util/digest.h"

#define IDEMPOTENCY_KEY_MAX 256
#define IDEMPOTENCY_KEPT_MS (24 * 3600 * 1000LL)

struct kept_answer {
	char body_digest[DIGEST_MAX]; /* of the request */
	int status;
	char location[96], etag[24]; /* "": none */
	char *text;                  /* for free() */
};

/* scope: who asked, and for what. 1: found; 0: none that is young enough. */
int idempotency_find(struct db *db, const char *scope, const char *key,
		     struct kept_answer *out, struct error *err);
/* Removes old ones too. */
int idempotency_keep(struct db *db, const char *scope, const char *key,
		     const struct kept_answer *a, struct error *err);

#endif
