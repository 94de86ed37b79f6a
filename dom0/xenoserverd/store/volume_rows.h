/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes. Those that domains were created with have no rows of their own:
 * they are what the domains' rows say, and are only read. */
#ifndef STORE_VOLUME_ROWS_H
#define STORE_VOLUME_ROWS_H

#include "model/volume.h"
#include "store/db.h"

/* ERR_EXISTS: its name. */
int volume_insert(struct db *db, const struct volume *v, struct error *err);
/* State, size and claim. version and updated_wall_ms go on, in the row and in
 * *v. ERR_BUSY: the row has another version than *v by now. */
int volume_save(struct db *db, struct volume *v, struct error *err);
/* By id, or by name, and then the tenant's (NULL: anybody's). Deleted ones are
 * not found. ERR_NOT_FOUND. */
int volume_find(struct db *db, const char *tenant, const char *id_or_name,
		struct volume *out, struct error *err);

struct volume_filter {
	const char *tenant, *domain_id; /* NULL: all */
	const char *after;              /* an id; NULL: from the start */
	int64_t limit;
};

typedef int (*volume_visit)(void *context, const struct volume *v,
			    struct error *err);

/* In the order of their ids, until visit fails. */
int volume_list(struct db *db, const struct volume_filter *f,
		volume_visit visit, void *context, struct error *err);

#endif
