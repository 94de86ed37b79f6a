// SPDX-License-Identifier: Apache-2.0
/* See volume_rows.h. */
#include "store/volume_rows.h"

#include <string.h>

#include "store/statement.h"
#include "util/clock.h"

#define COLUMNS                                                                \
	"id, tenant, name, version, state, size_bytes, claim_bytes, image, "   \
	"domain_id, device, owned, created_wall_ms, updated_wall_ms"

int volume_insert(struct db *db, const struct volume *v, struct error *err)
{
	return execute(db, err,
		       "INSERT INTO volumes (id, tenant, name, version, state, "
		       "size_bytes, claim_bytes, image, created_wall_ms, "
		       "updated_wall_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		       "tttitiitii", v->id, v->tenant, v->name, v->version,
		       volume_state_word(v->state), (int64_t)v->bytes,
		       (int64_t)v->claim_bytes, v->image, v->created_wall_ms,
		       v->updated_wall_ms) < 0
		       ? -1
		       : 0;
}

int volume_save(struct db *db, struct volume *v, struct error *err)
{
	int changed;

	v->updated_wall_ms = wall_now_ms();
	changed =
		execute(db, err,
			"UPDATE volumes SET version = ?, state = ?, "
			"size_bytes = ?, claim_bytes = ?, "
			"updated_wall_ms = ? WHERE id = ? AND version = ?",
			"itiiiti", v->version + 1, volume_state_word(v->state),
			(int64_t)v->bytes, (int64_t)v->claim_bytes,
			v->updated_wall_ms, v->id, v->version);
	if (changed == 0)
		return error_set(err, ERR_BUSY, "%s was changed meanwhile",
				 v->id);
	if (changed < 0)
		return -1;
	v->version++;
	return 0;
}

static void read_volume(sqlite3_stmt *s, struct volume *v)
{
	char state[16];

	memset(v, 0, sizeof(*v));
	column_text(s, 0, v->id, sizeof(v->id));
	column_text(s, 1, v->tenant, sizeof(v->tenant));
	column_text(s, 2, v->name, sizeof(v->name));
	v->version = sqlite3_column_int64(s, 3);
	column_text(s, 4, state, sizeof(state));
	volume_state_parse(&v->state, state);
	v->bytes = (uint64_t)sqlite3_column_int64(s, 5);
	v->claim_bytes = (uint64_t)sqlite3_column_int64(s, 6);
	column_text(s, 7, v->image, sizeof(v->image));
	column_text(s, 8, v->domain_id, sizeof(v->domain_id));
	column_text(s, 9, v->device, sizeof(v->device));
	v->owned = sqlite3_column_int(s, 10);
	v->created_wall_ms = sqlite3_column_int64(s, 11);
	v->updated_wall_ms = sqlite3_column_int64(s, 12);
}

int volume_find(struct db *db, const char *tenant, const char *id_or_name,
		struct volume *out, struct error *err)
{
	/* An id before a name, should somebody have given a name like it. */
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT " COLUMNS " FROM all_volumes WHERE "
		"(id = ?1 OR name = ?1) AND (?2 IS NULL OR tenant = ?2) "
		"ORDER BY id <> ?1, id LIMIT 1",
		"tt", id_or_name, tenant);
	int rc = s ? statement_step(db, s, err) : -1;

	if (rc < 0)
		return -1;
	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "no volume %.60s",
				 id_or_name);
	read_volume(s, out);
	return 0;
}

int volume_list(struct db *db, const struct volume_filter *f,
		volume_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT " COLUMNS " FROM all_volumes WHERE id > ?1 AND "
		"(?2 IS NULL OR tenant = ?2) AND "
		"(?3 IS NULL OR domain_id = ?3) ORDER BY id LIMIT ?4",
		"ttti", f->after ?: "", f->tenant, f->domain_id, f->limit);
	struct volume v;
	int rc = -1;

	while (s && (rc = statement_step(db, s, err)) == 1) {
		read_volume(s, &v);
		if (visit(context, &v, err))
			return -1;
	}
	return rc;
}
