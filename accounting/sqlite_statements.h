/* SPDX-License-Identifier: Apache-2.0 */
/* All that the SQLite store asks of its database. For store_sqlite.c only. */
#ifndef ACCOUNTING_SQLITE_STATEMENTS_H
#define ACCOUNTING_SQLITE_STATEMENTS_H

enum statement {
	BEGIN,
	COMMIT,
	ROLLBACK,
	SAVEPOINT,
	RELEASE,
	ROLLBACK_TO,
	HEAD,
	APPEND,
	NEXT,
	LAST_OF,
	NEXT_SOURCE,
	NEWEST,
	SELECT_ALL,
	SELECT_ACCOUNT,
	SELECT_DOMAIN,
	LATEST,
	PUT_TARIFF,
	PUT_PRICE,
	GET_TARIFF,
	GET_PRICES,
	TARIFF_AT,
	TARIFF_AFTER,
	PRICE,
	STATEMENTS
};

extern const char *const sqlite_statements[STATEMENTS];

#endif
