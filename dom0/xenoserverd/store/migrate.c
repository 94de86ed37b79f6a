// SPDX-License-Identifier: Apache-2.0
/*
 * The layout of the file, as the steps that lead to it. user_version says how
 * many were taken. A step is never changed once a release had it; a new layout
 * is a new step at the end.
 */
#include <stdio.h>

#include "store/statement.h"

static const char *const steps[] = {
	/* 1 */
	"CREATE TABLE domains ("
	"  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL,"
	"  version INTEGER NOT NULL,"
	"  state TEXT NOT NULL CHECK (state IN ('defined', 'building',"
	"    'running', 'paused', 'shutting_down', 'stopped', 'crashed',"
	"    'destroyed')),"
	"  reason TEXT NOT NULL, number INTEGER NOT NULL,"
	"  created_wall_ms INTEGER NOT NULL, updated_wall_ms INTEGER NOT NULL,"
	"  started_wall_ms INTEGER NOT NULL,"
	"  kernel TEXT NOT NULL, ramdisk TEXT NOT NULL, command TEXT NOT NULL,"
	"  memory_bytes INTEGER NOT NULL CHECK (memory_bytes > 0),"
	"  vcpus INTEGER NOT NULL CHECK (vcpus > 0),"
	"  cpu_reservation_permille INTEGER NOT NULL,"
	"  cpu_cap_permille INTEGER NOT NULL, on_poweroff TEXT NOT NULL,"
	"  on_reboot TEXT NOT NULL, on_crash TEXT NOT NULL) STRICT;"
	/* A name is free again when its domain is gone. */
	"CREATE UNIQUE INDEX domain_names ON domains (tenant, name)"
	"  WHERE state <> 'destroyed';"
	"CREATE TABLE disks ("
	"  domain_id TEXT NOT NULL REFERENCES domains (id),"
	"  position INTEGER NOT NULL, device TEXT NOT NULL,"
	"  writable INTEGER NOT NULL, size_bytes INTEGER NOT NULL,"
	"  image TEXT NOT NULL,"
	"  PRIMARY KEY (domain_id, position)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE nics ("
	"  domain_id TEXT NOT NULL REFERENCES domains (id),"
	"  position INTEGER NOT NULL, mac TEXT NOT NULL,"
	"  PRIMARY KEY (domain_id, position)) STRICT, WITHOUT ROWID;"
	/* Of interfaces, MACs too: no two have the same. */
	"CREATE TABLE addresses ("
	"  address TEXT PRIMARY KEY,"
	"  domain_id TEXT NOT NULL REFERENCES domains (id),"
	"  nic INTEGER NOT NULL, position INTEGER NOT NULL)"
	"  STRICT, WITHOUT ROWID;"
	"CREATE INDEX addresses_of ON addresses (domain_id);"
	"CREATE TABLE labels ("
	"  domain_id TEXT NOT NULL REFERENCES domains (id),"
	"  key TEXT NOT NULL, value TEXT NOT NULL,"
	"  PRIMARY KEY (domain_id, key)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE admissions ("
	"  domain_id TEXT NOT NULL REFERENCES domains (id),"
	"  resource INTEGER NOT NULL, claimed INTEGER NOT NULL,"
	"  requested INTEGER NOT NULL, bound INTEGER NOT NULL,"
	"  CHECK (claimed + requested <= bound),"
	"  PRIMARY KEY (domain_id, resource)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE operations ("
	"  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
	"  action TEXT NOT NULL, domain_id TEXT NOT NULL"
	"    REFERENCES domains (id),"
	"  tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN"
	"    ('queued', 'running', 'succeeded', 'failed')),"
	"  from_state TEXT NOT NULL, starts INTEGER NOT NULL,"
	"  deadline_wall_ms INTEGER NOT NULL, actor TEXT NOT NULL,"
	"  request_id TEXT NOT NULL, created_wall_ms INTEGER NOT NULL,"
	"  started_wall_ms INTEGER NOT NULL, finished_wall_ms INTEGER NOT NULL,"
	"  problem_code TEXT NOT NULL, problem TEXT NOT NULL) STRICT;"
	/* What is done to a domain is done one after the other. */
	"CREATE UNIQUE INDEX open_operations ON operations (domain_id)"
	"  WHERE state IN ('queued', 'running');"
	"CREATE TABLE journal ("
	"  seq INTEGER PRIMARY KEY AUTOINCREMENT,"
	"  operation_id TEXT NOT NULL REFERENCES operations (id),"
	"  act TEXT NOT NULL, begun_wall_ms INTEGER NOT NULL,"
	"  ended_wall_ms INTEGER NOT NULL, outcome TEXT NOT NULL) STRICT;"
	"CREATE INDEX open_acts ON journal (operation_id)"
	"  WHERE outcome = '';"
	"CREATE TABLE idempotency ("
	"  scope TEXT NOT NULL, key TEXT NOT NULL, body_digest TEXT NOT NULL,"
	"  status INTEGER NOT NULL, location TEXT NOT NULL, etag TEXT NOT NULL,"
	"  answer TEXT NOT NULL, created_wall_ms INTEGER NOT NULL,"
	"  PRIMARY KEY (scope, key)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX idempotency_age ON idempotency (created_wall_ms);"
	"CREATE TABLE tokens ("
	"  id TEXT PRIMARY KEY, role TEXT NOT NULL CHECK (role IN"
	"    ('operator', 'tenant')),"
	"  tenant TEXT NOT NULL, description TEXT NOT NULL,"
	"  secret_digest TEXT NOT NULL, created_wall_ms INTEGER NOT NULL,"
	"  expires_wall_ms INTEGER NOT NULL, revoked_wall_ms INTEGER NOT NULL)"
	"  STRICT;"
	"CREATE TABLE events ("
	"  id INTEGER PRIMARY KEY AUTOINCREMENT, at_wall_ms INTEGER NOT NULL,"
	"  type TEXT NOT NULL, tenant TEXT NOT NULL, subject TEXT NOT NULL,"
	"  operation_id TEXT NOT NULL, actor TEXT NOT NULL,"
	"  request_id TEXT NOT NULL, state TEXT NOT NULL,"
	"  message TEXT NOT NULL) STRICT;",
	/* 2: volumes, which have operations as domains have, and rules. */
	"CREATE TABLE volumes ("
	"  id TEXT PRIMARY KEY, tenant TEXT NOT NULL, name TEXT NOT NULL,"
	"  version INTEGER NOT NULL,"
	"  state TEXT NOT NULL CHECK (state IN ('creating', 'available',"
	"    'growing', 'deleting', 'deleted')),"
	"  size_bytes INTEGER NOT NULL CHECK (size_bytes > 0),"
	/* What it has of the pool: its new size already, while it grows. */
	"  claim_bytes INTEGER NOT NULL CHECK (claim_bytes >= size_bytes),"
	"  image TEXT NOT NULL, created_wall_ms INTEGER NOT NULL,"
	"  updated_wall_ms INTEGER NOT NULL) STRICT;"
	"CREATE UNIQUE INDEX volume_names ON volumes (tenant, name)"
	"  WHERE state <> 'deleted';"
	/* '': the disk is the domain's own. */
	"ALTER TABLE disks ADD COLUMN volume_id TEXT NOT NULL DEFAULT '';"
	"CREATE INDEX disk_volumes ON disks (volume_id) WHERE volume_id <> '';"
	/* Without its reference, since domain_id may be a volume's. */
	"CREATE TABLE new_operations ("
	"  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
	"  action TEXT NOT NULL, domain_id TEXT NOT NULL,"
	"  tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN"
	"    ('queued', 'running', 'succeeded', 'failed')),"
	"  from_state TEXT NOT NULL, starts INTEGER NOT NULL,"
	"  deadline_wall_ms INTEGER NOT NULL, actor TEXT NOT NULL,"
	"  request_id TEXT NOT NULL, created_wall_ms INTEGER NOT NULL,"
	"  started_wall_ms INTEGER NOT NULL, finished_wall_ms INTEGER NOT NULL,"
	"  problem_code TEXT NOT NULL, problem TEXT NOT NULL) STRICT;"
	"INSERT INTO new_operations SELECT seq, id, action, domain_id, tenant,"
	"  state, from_state, starts, deadline_wall_ms, actor, request_id,"
	"  created_wall_ms, started_wall_ms, finished_wall_ms, problem_code,"
	"  problem FROM operations;"
	"DROP TABLE operations;"
	"ALTER TABLE new_operations RENAME TO operations;"
	"CREATE UNIQUE INDEX open_operations ON operations (domain_id)"
	"  WHERE state IN ('queued', 'running');"
	"CREATE TABLE rules ("
	"  one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,"
	"  document TEXT NOT NULL, text TEXT NOT NULL) STRICT;"
	/* Domains' own disks too: their ids are those of the domains, cut, with
	 * their places behind. */
	"CREATE VIEW all_volumes AS "
	"SELECT v.id, v.tenant, v.name, v.version, v.state, v.size_bytes,"
	"  v.claim_bytes, v.image, coalesce(k.domain_id, '') AS domain_id,"
	"  coalesce(k.device, '') AS device, 0 AS owned, v.created_wall_ms,"
	"  v.updated_wall_ms FROM volumes v LEFT JOIN"
	"  (SELECT volume_id, domain_id, device FROM disks JOIN domains"
	"    ON domains.id = domain_id AND state <> 'destroyed') k"
	"  ON k.volume_id = v.id WHERE v.state <> 'deleted' "
	"UNION ALL "
	"SELECT 'vol_' || substr(d.id, 5, 24) || printf('%02d', k.position),"
	"  d.tenant, d.name || '/' || k.device, d.version,"
	"  iif(EXISTS (SELECT 1 FROM operations o WHERE o.domain_id = d.id AND"
	"    o.action = 'create' AND o.state IN ('queued', 'running')),"
	"    'creating', 'available'),"
	"  k.size_bytes, k.size_bytes, k.image, d.id, k.device, 1,"
	"  d.created_wall_ms, d.updated_wall_ms FROM disks k JOIN domains d"
	"  ON d.id = k.domain_id WHERE k.volume_id = '' AND"
	"  d.state <> 'destroyed';"
	"INSERT INTO rules (one, version, document, text)"
	"  VALUES (1, 1, '{\"rules\":[]}', '');",
	/* 3: the node's start and stop, and what is to run again after it */
	"CREATE TABLE node ("
	"  id INTEGER PRIMARY KEY CHECK (id = 1), boot TEXT NOT NULL,"
	"  stopping_wall_ms INTEGER NOT NULL) STRICT;"
	"CREATE TABLE restarts ("
	"  domain_id TEXT PRIMARY KEY REFERENCES domains (id))"
	"  STRICT, WITHOUT ROWID;",
	/* 4: the clock of the meters, and what of each domain they are of. */
	"CREATE TABLE meter_clock ("
	"  one INTEGER PRIMARY KEY CHECK (one = 1), boot TEXT NOT NULL,"
	"  machine_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
	"  seen_ns INTEGER NOT NULL) STRICT;"
	"CREATE TABLE meter_runs ("
	"  domain_id TEXT PRIMARY KEY REFERENCES domains (id),"
	"  incarnation INTEGER NOT NULL, created_ns INTEGER NOT NULL,"
	"  open INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static int version_of(struct db *db, int64_t *out, struct error *err)
{
	auto_stmt sqlite3_stmt *s =
		statement(db, err, "PRAGMA user_version", "");

	if (!s || statement_step(db, s, err) < 0)
		return -1;
	*out = sqlite3_column_int64(s, 0);
	return 0;
}

static int take_steps(struct db *db, int64_t last, struct error *err)
{
	char pragma[40];
	int64_t version;

	/* Another handle may have been quicker. */
	if (version_of(db, &version, err))
		return -1;
	for (; version < last; version++)
		if (sqlite3_exec(db->sqlite, steps[version], NULL, NULL, NULL))
			return sqlite_failed(db, err);
	/* A pragma takes no parameters. */
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d",
		 (int)version);
	return execute(db, err, pragma, "") < 0 ? -1 : 0;
}

int migrate_to(struct db *db, int64_t last, struct error *err)
{
	int64_t version;

	if (version_of(db, &version, err))
		return -1;
	if (version > (int64_t)STEPS)
		return error_set(
			err, ERR_UNSUPPORTED,
			"store: its layout %lld is later than %zu, the latest that this program knows",
			(long long)version, STEPS);
	if (version >= last)
		return 0;
	if (db_begin(db, err))
		return -1;
	if (take_steps(db, last, err)) {
		db_rollback(db);
		return -1;
	}
	return db_commit(db, err);
}

int migrate(struct db *db, struct error *err)
{
	return migrate_to(db, STEPS, err);
}
