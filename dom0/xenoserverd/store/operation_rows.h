/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations, and the journal of their acts. An operation's row is the intent;
 * an act is entered before it is begun, and closed in the transaction that
 * commits what came of it. What is open after a start was cut short.
 */
#ifndef STORE_OPERATION_ROWS_H
#define STORE_OPERATION_ROWS_H

#include "model/domain.h"
#include "store/db.h"

/* ERR_BUSY: its domain has one that is not finished. */
int operation_insert(struct db *db, const struct operation *o,
		     struct error *err);
/* ERR_BUSY: it is finished. */
int operation_save(struct db *db, const struct operation *o, struct error *err);
/* tenant NULL: anybody's. ERR_NOT_FOUND. */
int operation_find(struct db *db, const char *tenant, const char *id,
		   struct operation *out, struct error *err);
/* The one that is not finished. ERR_NOT_FOUND. */
int operation_open(struct db *db, const char *domain_id, struct operation *out,
		   struct error *err);
/* The oldest queued one of a domain, or of a volume: 1; 0: none. */
int operation_next(struct db *db, struct operation *out, struct error *err);
int volume_operation_next(struct db *db, struct operation *out,
			  struct error *err);
/* One that waits for its guest and has waited too long: 1; 0: none. */
int operation_overdue(struct db *db, int64_t now_wall_ms, struct operation *out,
		      struct error *err);
/* After a start: those that were running and do not wait are queued again, and
 * their open acts closed as interrupted. How many; -1: failed. */
int operations_resume(struct db *db, struct error *err);
int volume_operations_resume(struct db *db, struct error *err);

struct operation_filter {
	const char *tenant, *domain_id, *state; /* NULL: all */
	const char *after;                      /* an id; NULL: the newest */
	int64_t limit;
};

typedef int (*operation_visit)(void *context, const struct operation *o,
			       struct error *err);

/* The newest first. */
int operation_list(struct db *db, const struct operation_filter *f,
		   operation_visit visit, void *context, struct error *err);

/* How many are in each state. */
int operation_counts(struct db *db, uint64_t counts[OPERATION_STATES],
		     struct error *err);

const char *operation_state_word(enum operation_state s);
/* false: no such word. */
bool operation_state_parse(enum operation_state *out, const char *word);

int journal_begin(struct db *db, const char *operation_id, const char *act,
		  struct error *err);
/* Closes the open act of the operation, if there is one. */
int journal_end(struct db *db, const char *operation_id, const char *outcome,
		struct error *err);

struct journal_entry {
	char act[32], outcome[32]; /* outcome "": open */
	int64_t begun_wall_ms, ended_wall_ms;
};

/* The acts of an operation, in order: how many of at most max; -1: failed. */
int journal_read(struct db *db, const char *operation_id,
		 struct journal_entry *out, int max, struct error *err);

#endif
