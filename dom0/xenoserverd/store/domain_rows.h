/* SPDX-License-Identifier: Apache-2.0 */
/* Domains: their rows, with disks, interfaces, labels, and what they were let
 * in on. */
#ifndef STORE_DOMAIN_ROWS_H
#define STORE_DOMAIN_ROWS_H

#include "model/domain.h"
#include "model/label_selector.h"
#include "store/db.h"

/* ERR_EXISTS: its name; ERR_BUSY: one of its addresses, which err names. */
int domain_insert(struct db *db, const struct domain *d, struct error *err);
/* By id, or by name, and then the tenant's (NULL: anybody's) that is not
 * destroyed. ERR_NOT_FOUND. */
int domain_find(struct db *db, const char *tenant, const char *id_or_name,
		struct domain *out, struct error *err);
/* The same, of all tenants', but a name that several have is ERR_INVALID. */
int domain_find_one(struct db *db, const char *id_or_name, struct domain *out,
		    struct error *err);
/* Everything but disks and interfaces, which never change. version and
 * updated_wall_ms go on, in the row and in *d. ERR_EXISTS: its name; ERR_BUSY:
 * the row has another version than *d by now. */
int domain_save(struct db *db, struct domain *d, struct error *err);
/* Its addresses are free again. */
int domain_release(struct db *db, const char *id, struct error *err);

struct domain_filter {
	const char *tenant;                    /* NULL: all */
	const char *state;                     /* NULL: all but destroyed */
	const char *after;                     /* an id; NULL: from the start */
	const struct label_selector *selector; /* NULL: all */
	int64_t limit;
};

typedef int (*domain_visit)(void *context, const struct domain *d,
			    struct error *err);

/* In the order of their ids, until visit fails. */
int domain_list(struct db *db, const struct domain_filter *f,
		domain_visit visit, void *context, struct error *err);

/* What all that are not destroyed claim, volumes too, but for one of them
 * (NULL: all). */
int domain_claims(struct db *db, const char *except_id, struct claims *out,
		  struct error *err);

int verdict_save(struct db *db, const char *id, const struct verdict *v,
		 struct error *err);
int verdict_load(struct db *db, const char *id, struct verdict *out,
		 struct error *err);

#endif
