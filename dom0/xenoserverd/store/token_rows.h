/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: who may ask. The secret itself is nowhere, only its digest: secrets
 * are long and random, so nothing is won by guessing. */
#ifndef STORE_TOKEN_ROWS_H
#define STORE_TOKEN_ROWS_H

#include "model/domain.h"
#include "store/db.h"
#include "util/digest.h"

enum role { ROLE_OPERATOR, ROLE_TENANT };

struct token {
	char id[ID_MAX];
	enum role role;
	char tenant[TENANT_MAX]; /* "": an operator's */
	char description[128];
	char secret_digest[DIGEST_MAX];
	int64_t created_wall_ms, expires_wall_ms;
	int64_t revoked_wall_ms; /* 0: not */
};

const char *role_word(enum role r);
bool role_parse(enum role *out, const char *word);

int token_insert(struct db *db, const struct token *t, struct error *err);
int token_find(struct db *db, const char *id, struct token *out,
	       struct error *err);
int token_revoke(struct db *db, const char *id, int64_t now_wall_ms,
		 struct error *err);

typedef int (*token_visit)(void *context, const struct token *t,
			   struct error *err);

/* Those that are not revoked, in the order of their ids. after NULL: all. */
int token_list(struct db *db, const char *after, int64_t limit,
	       token_visit visit, void *context, struct error *err);

#endif
