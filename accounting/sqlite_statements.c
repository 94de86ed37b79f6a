// SPDX-License-Identifier: Apache-2.0
/* See sqlite_statements.h. Each finds its rows by an index, but for the one
 * that is about all rows. */
#include "sqlite_statements.h"

#define ENTRY_COLUMNS                                                          \
	"seq, kind, account, domain, incarnation, meter, device, flags,"       \
	" start_ns, end_ns, start_value, end_value, tariff, price_micro,"      \
	" price_per, carry_in, carry_out, amount_micro, refers_to, note, hash"

/* One text per choice, because with a choice inside no index is used. */
#define SELECT_WHERE(choice)                                                   \
	"SELECT " ENTRY_COLUMNS " FROM acct_entry WHERE kind >= 3 AND " choice \
	" AND end_ns >= ?3 AND start_ns < ?4"                                  \
	" AND (end_ns > ?3 OR start_ns = end_ns) AND seq <= ?5"                \
	" ORDER BY kind, domain, incarnation, meter, device, seq"

const char *const sqlite_statements[STATEMENTS] = {
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
	[SAVEPOINT] = "SAVEPOINT acct",
	[RELEASE] = "RELEASE acct",
	[ROLLBACK_TO] = "ROLLBACK TO acct",
	[HEAD] = "SELECT seq, hash FROM acct_entry ORDER BY seq DESC LIMIT 1",
	[APPEND] = "INSERT INTO acct_entry (" ENTRY_COLUMNS
		   ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11,"
		   " ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)",
	[NEXT] = "SELECT " ENTRY_COLUMNS
		 " FROM acct_entry WHERE seq > ?1 ORDER BY seq LIMIT 1",
	[LAST_OF] = "SELECT " ENTRY_COLUMNS " FROM acct_entry"
		    " INDEXED BY acct_entry_source"
		    " WHERE domain = ?1 AND incarnation = ?2 AND meter = ?3"
		    " AND device = ?4 AND seq < ?5 ORDER BY seq DESC LIMIT 1",
	[NEXT_SOURCE] =
		"SELECT incarnation, meter, device FROM acct_entry"
		" INDEXED BY acct_entry_open WHERE kind = 2 AND domain = ?1"
		" AND (incarnation, meter, device) > (?2, ?3, ?4)"
		" ORDER BY incarnation, meter, device LIMIT 1",
	[NEWEST] = "SELECT incarnation FROM acct_entry"
		   " INDEXED BY acct_entry_open WHERE kind = 2 AND domain = ?1"
		   " ORDER BY incarnation DESC LIMIT 1",
	[SELECT_ALL] = SELECT_WHERE("?1 IS NULL AND ?2 IS NULL"),
	[SELECT_ACCOUNT] =
		SELECT_WHERE("account = ?1 AND (?2 IS NULL OR domain = ?2)"),
	[SELECT_DOMAIN] = SELECT_WHERE("?1 IS NULL AND domain = ?2"),
	/* One look at an index per account. */
	[LATEST] = "WITH RECURSIVE a(name) AS ("
		   " SELECT min(account) FROM acct_entry WHERE account > ''"
		   " UNION ALL"
		   " SELECT (SELECT min(account) FROM acct_entry"
		   "  WHERE account > name) FROM a WHERE name NOT NULL)"
		   " SELECT coalesce(max((SELECT max(end_ns) FROM acct_entry"
		   "  WHERE account = name)), 0) FROM a WHERE name NOT NULL",
	[PUT_TARIFF] = "INSERT INTO acct_tariff VALUES (?1, ?2, ?3, ?4)",
	[PUT_PRICE] = "INSERT INTO acct_price VALUES (?1, ?2, ?3, ?4)",
	[GET_TARIFF] = "SELECT version, name, currency, effective_from_ns"
		       " FROM acct_tariff WHERE ?1 = 0 OR version = ?1"
		       " ORDER BY version DESC LIMIT 1",
	[GET_PRICES] = "SELECT meter, micro, per FROM acct_price"
		       " WHERE version = ?1",
	[TARIFF_AT] = "SELECT version FROM acct_tariff"
		      " WHERE effective_from_ns <= ?1"
		      " ORDER BY effective_from_ns DESC LIMIT 1",
	[TARIFF_AFTER] = "SELECT effective_from_ns FROM acct_tariff"
			 " WHERE effective_from_ns > ?1"
			 " ORDER BY effective_from_ns LIMIT 1",
	[PRICE] = "SELECT micro, per FROM acct_price"
		  " WHERE version = ?1 AND meter = ?2",
};
