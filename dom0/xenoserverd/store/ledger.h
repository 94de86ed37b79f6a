/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger in the node's file: what is appended to it through a handle is
 * part of the handle's transaction. */
#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H

#include "accounting/store.h"
#include "model/domain.h"
#include "store/db.h"

/* Makes it if there is none; currency NULL: EUR, or what it is in. Another one
 * than it is in is refused. Not within a transaction. */
int ledger_create(struct db *db, const char *currency, struct error *err);
/* The handle's own, opened when it is first asked for, which is not to be
 * within a transaction. */
int ledger_open(struct db *db, struct acct_store **out, struct error *err);
/* From the ledger's error to the node's; -1. */
int ledger_failed(const struct acct_error *from, struct error *err);

typedef int (*account_visit)(void *context, const char *account,
			     struct error *err);

/* Names of accounts, in order: of whom the ledger has rows, and of whom there
 * are domains or tokens. after NULL: from the first. */
int account_list(struct db *db, const char *after, int64_t limit,
		 account_visit visit, void *context, struct error *err);
/* 1: there is one of that name. */
int account_exists(struct db *db, const char *name, struct error *err);

/* Whose a domain is, or was: by its id, or, while it is there, by its name.
 * tenant NULL: anybody's. ERR_NOT_FOUND. */
struct billed_domain {
	char id[ID_MAX], account[TENANT_MAX];
};

int billed_domain_find(struct db *db, const char *tenant,
		       const char *id_or_name, struct billed_domain *out,
		       struct error *err);

#endif
