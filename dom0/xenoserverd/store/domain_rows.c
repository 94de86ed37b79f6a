// SPDX-License-Identifier: Apache-2.0
/* See domain_rows.h. */
#include "store/domain_rows.h"

#include <stdio.h>
#include <string.h>

#include "store/statement.h"
#include "util/clock.h"
#include "util/strbuf.h"

#define COLUMNS                                                                \
	"id, tenant, name, version, state, reason, number, created_wall_ms, "  \
	"updated_wall_ms, started_wall_ms, kernel, ramdisk, command, "         \
	"memory_bytes, vcpus, cpu_reservation_permille, cpu_cap_permille, "    \
	"on_poweroff, on_reboot, on_crash"

static int insert_address(struct db *db, const struct domain *d,
			  const char *address, int64_t nic, int64_t position,
			  struct error *err)
{
	if (execute(db, err,
		    "INSERT INTO addresses (address, domain_id, nic, position) "
		    "VALUES (?, ?, ?, ?)",
		    "ttii", address, d->id, nic, position) >= 0)
		return 0;
	if (err->code == ERR_EXISTS)
		error_fill(err, ERR_BUSY, "/nics/%d: %s is in use", (int)nic,
			   address);
	return -1;
}

static int insert_nic(struct db *db, const struct domain *d, unsigned int i,
		      struct error *err)
{
	const struct nic_spec *n = &d->spec.nics[i];

	if (execute(db, err,
		    "INSERT INTO nics (domain_id, position, mac) "
		    "VALUES (?, ?, ?)",
		    "tit", d->id, (int64_t)i, n->mac) < 0)
		return -1;
	/* The MAC stands before the first. */
	if (*n->mac && insert_address(db, d, n->mac, i, -1, err))
		return -1;
	for (unsigned int j = 0; j < n->address_count; j++)
		if (insert_address(db, d, n->addresses[j], i, j, err))
			return -1;
	return 0;
}

static int insert_devices(struct db *db, const struct domain *d,
			  struct error *err)
{
	for (unsigned int i = 0; i < d->spec.disk_count; i++) {
		const struct disk_spec *disk = &d->spec.disks[i];

		if (execute(db, err,
			    "INSERT INTO disks (domain_id, position, device, "
			    "writable, size_bytes, image, volume_id) "
			    "VALUES (?, ?, ?, ?, ?, ?, ?)",
			    "titiitt", d->id, (int64_t)i, disk->device,
			    (int64_t)disk->writable, (int64_t)disk->size_bytes,
			    disk->image, disk->volume) < 0)
			return -1;
	}
	for (unsigned int i = 0; i < d->spec.nic_count; i++)
		if (insert_nic(db, d, i, err))
			return -1;
	return 0;
}

static int insert_labels(struct db *db, const struct domain *d,
			 struct error *err)
{
	for (unsigned int i = 0; i < d->spec.label_count; i++)
		if (execute(db, err,
			    "INSERT INTO labels (domain_id, key, value) "
			    "VALUES (?, ?, ?)",
			    "ttt", d->id, d->spec.labels[i].key,
			    d->spec.labels[i].value) < 0)
			return -1;
	return 0;
}

int domain_insert(struct db *db, const struct domain *d, struct error *err)
{
	const struct domain_spec *s = &d->spec;

	if (execute(db, err,
		    "INSERT INTO domains (" COLUMNS ") VALUES (?, ?, ?, ?, ?, "
		    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		    "tttittiiiitttiiiittt", d->id, d->tenant, s->name,
		    d->version, domain_state_word(d->state), d->reason,
		    d->number, d->created_wall_ms, d->updated_wall_ms,
		    d->started_wall_ms, s->kernel, s->ramdisk, s->command,
		    (int64_t)s->memory_bytes, (int64_t)s->vcpus,
		    (int64_t)s->cpu_reservation_permille,
		    (int64_t)s->cpu_cap_permille,
		    end_action_word(s->on_poweroff),
		    end_action_word(s->on_reboot),
		    end_action_word(s->on_crash)) < 0)
		return -1;
	return insert_devices(db, d, err) || insert_labels(db, d, err) ? -1 : 0;
}

int domain_save(struct db *db, struct domain *d, struct error *err)
{
	const struct domain_spec *s = &d->spec;
	int changed;

	d->updated_wall_ms = wall_now_ms();
	changed = execute(
		db, err,
		"UPDATE domains SET name = ?, version = ?, state = ?, "
		"reason = ?, number = ?, updated_wall_ms = ?, "
		"started_wall_ms = ?, kernel = ?, ramdisk = ?, "
		"command = ?, memory_bytes = ?, vcpus = ?, "
		"cpu_reservation_permille = ?, cpu_cap_permille = ?, "
		"on_poweroff = ?, on_reboot = ?, on_crash = ? "
		"WHERE id = ? AND version = ?",
		"tittiiitttiiiitttti", s->name, d->version + 1,
		domain_state_word(d->state), d->reason, d->number,
		d->updated_wall_ms, d->started_wall_ms, s->kernel, s->ramdisk,
		s->command, (int64_t)s->memory_bytes, (int64_t)s->vcpus,
		(int64_t)s->cpu_reservation_permille,
		(int64_t)s->cpu_cap_permille, end_action_word(s->on_poweroff),
		end_action_word(s->on_reboot), end_action_word(s->on_crash),
		d->id, d->version);
	if (changed == 0)
		return error_set(err, ERR_BUSY, "%s was changed meanwhile",
				 d->id);
	if (changed < 0 ||
	    execute(db, err, "DELETE FROM labels WHERE domain_id = ?", "t",
		    d->id) < 0)
		return -1;
	d->version++;
	return insert_labels(db, d, err);
}

int domain_release(struct db *db, const char *id, struct error *err)
{
	return execute(db, err, "DELETE FROM addresses WHERE domain_id = ?",
		       "t", id) < 0
		       ? -1
		       : 0;
}

static enum end_action end_column(sqlite3_stmt *s, int column)
{
	enum end_action a = END_PRESERVE;
	char word[16];

	column_text(s, column, word, sizeof(word));
	end_action_parse(&a, word);
	return a;
}

static void read_domain(sqlite3_stmt *s, struct domain *d)
{
	struct domain_spec *spec = &d->spec;
	char state[16];

	memset(d, 0, sizeof(*d));
	column_text(s, 0, d->id, sizeof(d->id));
	column_text(s, 1, d->tenant, sizeof(d->tenant));
	column_text(s, 2, spec->name, sizeof(spec->name));
	d->version = sqlite3_column_int64(s, 3);
	column_text(s, 4, state, sizeof(state));
	domain_state_parse(&d->state, state);
	column_text(s, 5, d->reason, sizeof(d->reason));
	d->number = sqlite3_column_int64(s, 6);
	d->created_wall_ms = sqlite3_column_int64(s, 7);
	d->updated_wall_ms = sqlite3_column_int64(s, 8);
	d->started_wall_ms = sqlite3_column_int64(s, 9);
	column_text(s, 10, spec->kernel, sizeof(spec->kernel));
	column_text(s, 11, spec->ramdisk, sizeof(spec->ramdisk));
	column_text(s, 12, spec->command, sizeof(spec->command));
	spec->memory_bytes = (uint64_t)sqlite3_column_int64(s, 13);
	spec->vcpus = (uint32_t)sqlite3_column_int64(s, 14);
	spec->cpu_reservation_permille = (uint32_t)sqlite3_column_int64(s, 15);
	spec->cpu_cap_permille = (uint32_t)sqlite3_column_int64(s, 16);
	spec->on_poweroff = end_column(s, 17);
	spec->on_reboot = end_column(s, 18);
	spec->on_crash = end_column(s, 19);
}

static int read_disks(struct db *db, struct domain *d, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT device, writable, "
			  "coalesce(v.size_bytes, k.size_bytes), k.image, "
			  "volume_id FROM disks k LEFT JOIN volumes v "
			  "ON v.id = volume_id "
			  "WHERE domain_id = ? ORDER BY position",
			  "t", d->id);
	int rc = -1;

	while (s && d->spec.disk_count < CONFIG_DISKS_MAX &&
	       (rc = statement_step(db, s, err)) == 1) {
		struct disk_spec *disk = &d->spec.disks[d->spec.disk_count++];

		column_text(s, 0, disk->device, sizeof(disk->device));
		disk->writable = sqlite3_column_int(s, 1);
		disk->size_bytes = (uint64_t)sqlite3_column_int64(s, 2);
		column_text(s, 3, disk->image, sizeof(disk->image));
		column_text(s, 4, disk->volume, sizeof(disk->volume));
	}
	return rc < 0 ? -1 : 0;
}

static int read_nics(struct db *db, struct domain *d, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT mac FROM nics WHERE domain_id = ? "
			  "ORDER BY position",
			  "t", d->id);
	auto_stmt sqlite3_stmt *a =
		statement(db, err,
			  "SELECT nic, address FROM addresses "
			  "WHERE domain_id = ? AND position >= 0 "
			  "ORDER BY nic, position",
			  "t", d->id);
	int rc = -1;

	if (!s || !a)
		return -1;
	while (d->spec.nic_count < CONFIG_VIFS_MAX &&
	       (rc = statement_step(db, s, err)) == 1) {
		struct nic_spec *n = &d->spec.nics[d->spec.nic_count++];

		column_text(s, 0, n->mac, sizeof(n->mac));
	}
	while (rc >= 0 && (rc = statement_step(db, a, err)) == 1) {
		struct nic_spec *n = &d->spec.nics[sqlite3_column_int(a, 0) %
						   CONFIG_VIFS_MAX];

		if (n->address_count < CONFIG_ADDRESSES_MAX)
			column_text(a, 1, n->addresses[n->address_count++],
				    SPEC_ADDRESS_MAX);
	}
	return rc < 0 ? -1 : 0;
}

static int read_labels(struct db *db, struct domain *d, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT key, value FROM labels WHERE domain_id = ? "
			  "ORDER BY key",
			  "t", d->id);
	int rc = -1;

	while (s && d->spec.label_count < SPEC_LABELS_MAX &&
	       (rc = statement_step(db, s, err)) == 1) {
		struct label *l = &d->spec.labels[d->spec.label_count++];

		column_text(s, 0, l->key, sizeof(l->key));
		column_text(s, 1, l->value, sizeof(l->value));
	}
	return rc < 0 ? -1 : 0;
}

static int read_rest(struct db *db, struct domain *d, struct error *err)
{
	return read_disks(db, d, err) || read_nics(db, d, err) ||
			       read_labels(db, d, err)
		       ? -1
		       : 0;
}

int domain_find(struct db *db, const char *tenant, const char *id_or_name,
		struct domain *out, struct error *err)
{
	/* An id before a name, should somebody have given a name like it. */
	auto_stmt sqlite3_stmt *s = statement(db, err,
					      "SELECT " COLUMNS " FROM domains "
					      "WHERE state <> 'destroyed' AND "
					      "(id = ?1 OR name = ?1) AND "
					      "(?2 IS NULL OR tenant = ?2) "
					      "ORDER BY id <> ?1, id LIMIT 1",
					      "tt", id_or_name, tenant);
	int rc;

	if (!s)
		return -1;
	rc = statement_step(db, s, err);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return error_set(err, ERR_NOT_FOUND, "no domain %.60s",
				 id_or_name);
	read_domain(s, out);
	return read_rest(db, out, err);
}

int domain_find_one(struct db *db, const char *id_or_name, struct domain *out,
		    struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT count(*) FROM domains WHERE state <> 'destroyed' AND "
		"name = ?1 AND NOT EXISTS (SELECT 1 FROM domains WHERE "
		"id = ?1 AND state <> 'destroyed')",
		"t", id_or_name);

	if (!s || statement_step(db, s, err) < 0)
		return -1;
	if (sqlite3_column_int(s, 0) > 1)
		return error_set(err, ERR_INVALID,
				 "several domains named %.60s", id_or_name);
	return domain_find(db, NULL, id_or_name, out, err);
}

static const char *const relations[] = {
	[LABEL_IS] = " AND EXISTS (SELECT 1 FROM labels WHERE domain_id = "
		     "domains.id AND key = ? AND value = ?)",
	[LABEL_IS_NOT] = " AND NOT EXISTS (SELECT 1 FROM labels WHERE "
			 "domain_id = domains.id AND key = ? AND value = ?)",
	[LABEL_EXISTS] = " AND EXISTS (SELECT 1 FROM labels WHERE domain_id = "
			 "domains.id AND key = ?)",
	[LABEL_MISSING] = " AND NOT EXISTS (SELECT 1 FROM labels WHERE "
			  "domain_id = domains.id AND key = ?)",
};

/* The terms' parameters come behind the fixed ones. */
static int bind_selector(sqlite3_stmt *s, const struct label_selector *l)
{
	int at = 5;

	for (unsigned int i = 0; i < l->count; i++) {
		const struct selector_term *t = &l->terms[i];

		if (sqlite3_bind_text(s, at++, t->label.key, -1,
				      SQLITE_STATIC) ||
		    ((t->relation == LABEL_IS || t->relation == LABEL_IS_NOT) &&
		     sqlite3_bind_text(s, at++, t->label.value, -1,
				       SQLITE_STATIC)))
			return -1;
	}
	return 0;
}

static sqlite3_stmt *
list_statement(struct db *db, const struct domain_filter *f, struct error *err)
{
	static const struct label_selector none;
	const struct label_selector *selector = f->selector ?: &none;
	struct strbuf sql = { .text = NULL };
	sqlite3_stmt *s;

	strbuf_add(&sql, "SELECT " COLUMNS " FROM domains WHERE id > ?1 AND "
			 "(?2 IS NULL OR tenant = ?2) AND "
			 "iif(?3 IS NULL, state <> 'destroyed', state = ?3) "
			 "AND ?4 <> 0");
	for (unsigned int i = 0; i < selector->count; i++)
		strbuf_add(&sql, "%s", relations[selector->terms[i].relation]);
	strbuf_add(&sql, " ORDER BY id LIMIT ?4");
	s = statement(db, err, sql.text, "ttti", f->after ?: "", f->tenant,
		      f->state, f->limit);
	strbuf_clear(&sql);
	if (s && bind_selector(s, selector)) {
		sqlite_failed(db, err);
		sqlite3_finalize(s);
		return NULL;
	}
	return s;
}

int domain_list(struct db *db, const struct domain_filter *f,
		domain_visit visit, void *context, struct error *err)
{
	auto_stmt sqlite3_stmt *s = list_statement(db, f, err);
	struct domain d;
	int rc = -1;

	while (s && (rc = statement_step(db, s, err)) == 1) {
		read_domain(s, &d);
		if (read_rest(db, &d, err) || visit(context, &d, err))
			return -1;
	}
	return rc;
}

int domain_claims(struct db *db, const char *except_id, struct claims *out,
		  struct error *err)
{
	auto_stmt sqlite3_stmt *s = statement(
		db, err,
		"SELECT count(*), coalesce(sum(memory_bytes), 0), "
		"coalesce(sum(cpu_reservation_permille), 0), "
		"coalesce(sum((SELECT sum(size_bytes) FROM disks "
		"WHERE domain_id = domains.id AND volume_id = '')), 0) + "
		"(SELECT coalesce(sum(claim_bytes), 0) FROM volumes "
		"WHERE state <> 'deleted' AND id IS NOT ?1) "
		"FROM domains WHERE state <> 'destroyed' AND id IS NOT ?1",
		"t", except_id);

	if (!s || statement_step(db, s, err) < 0)
		return -1;
	out->domains = (uint64_t)sqlite3_column_int64(s, 0);
	out->memory_bytes = (uint64_t)sqlite3_column_int64(s, 1);
	out->cpu_permille = (uint64_t)sqlite3_column_int64(s, 2);
	out->pool_bytes = (uint64_t)sqlite3_column_int64(s, 3);
	return 0;
}

int verdict_save(struct db *db, const char *id, const struct verdict *v,
		 struct error *err)
{
	for (unsigned int i = 0; i < RESOURCES; i++) {
		const struct inequality *q = &v->list[i];

		if (execute(db, err,
			    "INSERT OR REPLACE INTO admissions (domain_id, "
			    "resource, claimed, requested, bound) "
			    "VALUES (?, ?, ?, ?, ?)",
			    "tiiii", id, (int64_t)i, (int64_t)q->claimed,
			    (int64_t)q->requested, (int64_t)q->limit) < 0)
			return -1;
	}
	return 0;
}

int verdict_load(struct db *db, const char *id, struct verdict *out,
		 struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err,
			  "SELECT resource, claimed, requested, bound "
			  "FROM admissions WHERE domain_id = ?",
			  "t", id);
	int rc = -1;

	memset(out, 0, sizeof(*out));
	while (s && (rc = statement_step(db, s, err)) == 1) {
		struct inequality *q =
			&out->list[sqlite3_column_int(s, 0) % RESOURCES];

		q->claimed = (uint64_t)sqlite3_column_int64(s, 1);
		q->requested = (uint64_t)sqlite3_column_int64(s, 2);
		q->limit = (uint64_t)sqlite3_column_int64(s, 3);
	}
	return rc;
}
