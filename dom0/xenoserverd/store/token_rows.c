// SPDX-License-Identifier: Apache-2.0
/* See token_rows.h. */
#include "store/token_rows.h"

#include <string.h>

#include "store/statement.h"

#define COLUMNS                                                                \
	"id, role, tenant, description, secret_digest, created_wall_ms, "      \
	"expires_wall_ms, revoked_wall_ms"

static const char *const roles[] = {
	[ROLE_OPERATOR] = "operator",
	[ROLE_TENANT] = "tenant",
};

const char *role_word(enum role r)
{
	return roles[r];
}

bool role_parse(enum role *out, const char *word)
{
	for (unsigned int i = 0; i < 2; i++)
		if (strcmp(word, roles[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

int token_insert(struct db *db, const struct token *t, struct error *err)
{
	return execute(db, err,
		       "INSERT INTO tokens (" COLUMNS ") VALUES "
		       "(?, ?, ?, ?, ?, ?, ?, ?)",
		       "tttttiii", t->id, roles[t->role], t->tenant,
		       t->description, t->secret_digest, t->created_wall_ms,
		       t->expires_wall_ms, t->revoked_wall_ms) < 0
		       ? -1
		       : 0;
}

static void read_token(sqlite3_stmt *s, struct token *t)
{
	char word[16];

	memset(t, 0, sizeof(*t));
	column_text(s, 0, t->id, sizeof(t->id));
	column_text(s, 1, word, sizeof(word));
	/* The lesser one, should the row say neither. */
	t->role = ROLE_TENANT;
	role_parse(&t->role, word);
	column_text(s, 2, t->tenant, sizeof(t->tenant));
	column_text(s, 3, t->description, sizeof(t->description));
	column_text(s, 4, t->secret_digest, sizeof(t->secret_digest));
	t->created_wall_ms = sqlite3_column_int64(s, 5);
	t->expires_wall_ms = sqlite3_column_int64(s, 6);
	t->revoked_wall_ms = sqlite3_column_int64(s, 7);
}

int token_find(struct db *db, const char *id, struct token *out,
	       struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err, "SELECT " COLUMNS " FROM tokens WHERE id = ?", "t",
		id);
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "no token %.60s", id);
	if (rc < 0)
		return -1;
	read_token(s, out);
	return 0;
}

int token_revoke(struct db *db, const char *id, int64_t now_wall_ms,
		 struct error *err)
{
	int changed = execute(db, err,
			      "UPDATE tokens SET revoked_wall_ms = ? "
			      "WHERE id = ? AND revoked_wall_ms = 0",
			      "it", now_wall_ms, id);

	if (changed == 0)
		return error_set(err, ERR_NOT_FOUND, "no token %.60s", id);
	return changed < 0 ? -1 : 0;
}

int token_list(struct db *db, const char *after, int64_t limit,
	       token_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT " COLUMNS " FROM tokens "
			  "WHERE revoked_wall_ms = 0 AND id > ? "
			  "ORDER BY id LIMIT ?",
			  "ti", after ?: "", limit);
	struct token t;
	int rc = -1;

	while (s && (rc = statement_step(db, s, err)) == 1) {
		read_token(s, &t);
		if (visit(context, &t, err))
			return -1;
	}
	return rc;
}
