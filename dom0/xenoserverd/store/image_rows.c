// SPDX-License-Identifier: Apache-2.0
/* See image_rows.h. */
#include "store/image_rows.h"

#include "store/statement.h"

int image_in_use(struct db *db, enum image_kind kind, const char *name,
		 struct error *err)
{
	static const char *const questions[IMAGE_KINDS] = {
		[IMAGE_BOOT] = "SELECT 1 FROM domains WHERE "
			       "state <> 'destroyed' AND "
			       "(kernel = ?1 OR ramdisk = ?1) LIMIT 1",
		[IMAGE_DISK] = "SELECT 1 FROM disks JOIN operations "
			       "USING (domain_id) WHERE image = ?1 AND "
			       "volume_id = '' AND action = 'create' AND "
			       "state IN ('queued', 'running') UNION ALL "
			       "SELECT 1 FROM volumes WHERE image = ?1 AND "
			       "state = 'creating' LIMIT 1",
	};
	auto_stmt sqlite3_stmt *s =
		statement(db, err, questions[kind], "t", name);

	return s ? statement_step(db, s, err) : -1;
}
