// SPDX-License-Identifier: Apache-2.0
/* See meter_rows.h. */
#include "store/meter_rows.h"

#include <stdio.h>

#include "store/statement.h"

int meter_clock_load(struct db *db, struct meter_clock *out, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT boot, machine_ns, wall_ns, seen_ns "
			  "FROM meter_clock",
			  "");
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc != 1)
		return rc;
	column_text(s, 0, out->boot, sizeof(out->boot));
	out->machine_ns = sqlite3_column_int64(s, 1);
	out->wall_ns = sqlite3_column_int64(s, 2);
	out->seen_ns = sqlite3_column_int64(s, 3);
	return 1;
}

int meter_clock_save(struct db *db, const struct meter_clock *c,
		     struct error *err)
{
	return execute(db, err,
		       "INSERT OR REPLACE INTO meter_clock (one, boot, "
		       "machine_ns, wall_ns, seen_ns) VALUES (1, ?, ?, ?, ?)",
		       "tiii", c->boot, c->machine_ns, c->wall_ns,
		       c->seen_ns) < 0
		       ? -1
		       : 0;
}

int meter_run_load(struct db *db, const char *domain_id, struct meter_run *out,
		   struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT incarnation, created_ns, open FROM meter_runs "
		"WHERE domain_id = ?",
		"t", domain_id);
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc != 1)
		return rc;
	snprintf(out->domain_id, sizeof(out->domain_id), "%s", domain_id);
	out->incarnation = (uint64_t)sqlite3_column_int64(s, 0);
	out->created_ns = sqlite3_column_int64(s, 1);
	out->open = sqlite3_column_int64(s, 2) != 0;
	return 1;
}

int meter_run_save(struct db *db, const struct meter_run *run,
		   struct error *err)
{
	return execute(db, err,
		       "INSERT OR REPLACE INTO meter_runs (domain_id, "
		       "incarnation, created_ns, open) VALUES (?, ?, ?, ?)",
		       "tiii", run->domain_id, (int64_t)run->incarnation,
		       run->created_ns, (int64_t)run->open) < 0
		       ? -1
		       : 0;
}
