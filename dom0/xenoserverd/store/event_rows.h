/* SPDX-License-Identifier: Apache-2.0 */
/* What has happened, in order: each entry in the transaction of the change that
 * it tells of. The last EVENTS_KEPT are kept. */
#ifndef STORE_EVENT_ROWS_H
#define STORE_EVENT_ROWS_H

#include "model/domain.h"
#include "store/db.h"

#define EVENTS_KEPT 100000

struct event {
	int64_t id, at_wall_ms;
	char type[48]; /* domain.running, operation.failed, token.created */
	char tenant[TENANT_MAX];
	char subject[ID_MAX]; /* the id of what it is about */
	char operation_id[ID_MAX], request_id[ID_MAX]; /* "": of none */
	char actor[ACTOR_MAX];
	char state[16];
	char message[REASON_MAX];
};

/* Its id is given by the store, its time by the clock. */
int event_add(struct db *db, const struct event *e, struct error *err);

typedef int (*event_visit)(void *context, const struct event *e,
			   struct error *err);

/* Those after an id. tenant NULL: everybody's. */
int event_list(struct db *db, int64_t after, const char *tenant, int64_t limit,
	       event_visit visit, void *context, struct error *err);
/* The range of ids that are there; 0 and 0: none. */
int event_range(struct db *db, int64_t *oldest, int64_t *newest,
		struct error *err);

#endif
