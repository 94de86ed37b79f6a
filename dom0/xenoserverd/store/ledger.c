// SPDX-License-Identifier: Apache-2.0
/* See ledger.h. */
#include "store/ledger.h"

#include <stdio.h>
#include <string.h>

#include "accounting/store_sqlite.h"
#include "store/statement.h"
#include "util/ids.h"

#define USUAL_CURRENCY "EUR"

int ledger_failed(const struct acct_error *from, struct error *err)
{
	static const enum error_code codes[] = {
		[ACCT_OK] = ERR_SYSTEM,           [ACCT_INVALID] = ERR_INVALID,
		[ACCT_NOT_FOUND] = ERR_NOT_FOUND, [ACCT_EXISTS] = ERR_EXISTS,
		[ACCT_OVERFLOW] = ERR_SYSTEM,     [ACCT_CORRUPT] = ERR_SYSTEM,
		[ACCT_BUSY] = ERR_BUSY,           [ACCT_STORE] = ERR_SYSTEM,
	};

	return error_set(err, codes[from->code], "ledger: %.180s",
			 from->message);
}

int ledger_create(struct db *db, const char *currency, struct error *err)
{
	struct acct_ledger_info info = { .id = "" };
	struct acct_store *store;
	struct acct_error why;

	if (acct_sqlite_open_existing(db->sqlite, &store, &why)) {
		if (why.code != ACCT_NOT_FOUND)
			return ledger_failed(&why, err);
		id_make(info.id, "led");
		snprintf(info.currency, sizeof(info.currency), "%s",
			 currency ? currency : USUAL_CURRENCY);
		if (acct_sqlite_open(db->sqlite, &info, &store, &why))
			return ledger_failed(&why, err);
	}
	if (currency && strcmp(currency, store->info.currency) != 0) {
		error_fill(err, ERR_INVALID, "the ledger is in %s, not in %s",
			   store->info.currency, currency);
		acct_sqlite_close(store);
		return -1;
	}
	acct_sqlite_close(db->ledger);
	db->ledger = store;
	return 0;
}

int ledger_open(struct db *db, struct acct_store **out, struct error *err)
{
	struct acct_error why;

	if (!db->ledger &&
	    acct_sqlite_open_existing(db->sqlite, &db->ledger, &why))
		return ledger_failed(&why, err);
	*out = db->ledger;
	return 0;
}

/* One look at the index per account, however many rows it has. */
#define IN_LEDGER                                                              \
	"WITH RECURSIVE a(name) AS ("                                          \
	" SELECT min(account) FROM acct_entry WHERE account > ?1"              \
	" UNION ALL"                                                           \
	" SELECT (SELECT min(account) FROM acct_entry"                         \
	"  WHERE account > name) FROM a WHERE name NOT NULL)"                  \
	" SELECT name FROM a WHERE name NOT NULL"

int account_list(struct db *db, const char *after, int64_t limit,
		 account_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		IN_LEDGER " UNION SELECT tenant FROM domains WHERE tenant > ?1"
			  " UNION SELECT tenant FROM tokens WHERE tenant > ?1"
			  " ORDER BY 1 LIMIT ?2",
		"ti", after ? after : "", limit);
	int rc = -1;

	while (s && (rc = statement_step(db, s, err)) == 1) {
		char name[ACCT_ID_MAX + 1];

		column_text(s, 0, name, sizeof(name));
		if (visit(context, name, err))
			return -1;
	}
	return rc;
}

int account_exists(struct db *db, const char *name, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT 1 WHERE EXISTS"
			  " (SELECT 1 FROM acct_entry WHERE account = ?1)"
			  " OR EXISTS (SELECT 1 FROM domains WHERE tenant = ?1)"
			  " OR EXISTS (SELECT 1 FROM tokens WHERE tenant = ?1)",
			  "t", name);

	return s ? statement_step(db, s, err) : -1;
}

int billed_domain_find(struct db *db, const char *tenant,
		       const char *id_or_name, struct billed_domain *out,
		       struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT id, tenant FROM domains WHERE (id = ?1 OR "
		"(name = ?1 AND state <> 'destroyed')) AND "
		"(?2 IS NULL OR tenant = ?2) ORDER BY id <> ?1, id LIMIT 1",
		"tt", id_or_name, tenant);
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc < 0)
		return -1;
	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "no domain %.60s",
				 id_or_name);
	column_text(s, 0, out->id, sizeof(out->id));
	column_text(s, 1, out->account, sizeof(out->account));
	return 0;
}
