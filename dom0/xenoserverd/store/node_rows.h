/* SPDX-License-Identifier: Apache-2.0 */
/* The node's own life: which start of it this is, whether it is to stop, and
 * which domains are to be started again after its next start. */
#ifndef STORE_NODE_ROWS_H
#define STORE_NODE_ROWS_H

#include <stdint.h>

#include "model/domain.h"
#include "store/db.h"

/* 1: another start than the last that was recorded. It is recorded, the node is
 * not to stop any more, and what ran when the last one ended, or was being
 * rebooted, is to be started again; 0: the same one; -1: failed. In a
 * transaction. */
int node_started(struct db *db, const char *boot, struct error *err);

/* Only after a start was recorded. What was asked for first stays. */
int node_stop(struct db *db, int64_t now_wall_ms, struct error *err);
/* Since when it is to stop; 0: it is not. */
int node_stopping(struct db *db, int64_t *since_wall_ms, struct error *err);

int restart_add(struct db *db, const char *domain_id, struct error *err);
/* 1: it is to be started again; 0: not. */
int restart_wanted(struct db *db, const char *domain_id, struct error *err);
int restart_remove(struct db *db, const char *domain_id, struct error *err);

/* The first domain after that id ("": the first at all) that is not at rest:
 * 1; 0: none. */
int domain_next_up(struct db *db, const char *after, char id[ID_MAX],
		   struct error *err);

#endif
