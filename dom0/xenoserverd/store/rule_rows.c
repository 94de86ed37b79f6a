// SPDX-License-Identifier: Apache-2.0
/* See rule_rows.h. */
#include "store/rule_rows.h"

#include <stdlib.h>
#include <string.h>

#include "store/statement.h"

int rule_row_load(struct db *db, struct rule_row *out, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err, "SELECT version, document, text FROM rules", "");
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc < 0)
		return -1;
	if (rc == 0)
		return error_set(err, ERR_SYSTEM, "store: no rules");
	out->version = sqlite3_column_int64(s, 0);
	out->document = strdup((const char *)sqlite3_column_text(s, 1));
	out->text = strdup((const char *)sqlite3_column_text(s, 2));
	if (out->document && out->text)
		return 0;
	rule_row_clear(out);
	return error_set(err, ERR_SYSTEM, "no memory");
}

void rule_row_clear(struct rule_row *r)
{
	free(r->document);
	free(r->text);
	*r = (struct rule_row){ .version = 0 };
}

int rule_row_save(struct db *db, const struct rule_row *r, struct error *err)
{
	int changed = execute(db, err,
			      "UPDATE rules SET version = ?1, document = ?2, "
			      "text = ?3 WHERE version = ?1 - 1",
			      "itt", r->version, r->document, r->text);

	if (changed == 0)
		return error_set(err, ERR_BUSY,
				 "the rules were changed meanwhile");
	return changed < 0 ? -1 : 0;
}
