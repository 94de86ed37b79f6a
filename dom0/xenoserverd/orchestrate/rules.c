// SPDX-License-Identifier: Apache-2.0
/* See rules.h. */
#include "orchestrate/rules.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/event_rows.h"
#include "util/log.h"

struct rule_keeper {
	struct machine *machine;
	pthread_mutex_t mutex; /* held while machine and store may differ */
};

int rule_keeper_open(struct rule_keeper **out, struct machine *m,
		     struct error *err)
{
	struct rule_keeper *k = calloc(1, sizeof(*k));

	if (!k)
		return error_set(err, ERR_SYSTEM, "no memory");
	k->machine = m;
	pthread_mutex_init(&k->mutex, NULL);
	*out = k;
	return 0;
}

void rule_keeper_close(struct rule_keeper *k)
{
	if (!k)
		return;
	pthread_mutex_destroy(&k->mutex);
	free(k);
}

static int give(struct rule_keeper *k, const char *text, struct error *err)
{
	struct machine *m = k->machine;
	struct strbuf has = { .text = NULL };
	struct machine_rule_fault fault;
	struct error why;
	bool same;

	if (m->rules_text(m->self, &has, err)) {
		strbuf_clear(&has);
		return -1;
	}
	same = has.text && strcmp(has.text, text) == 0;
	strbuf_clear(&has);
	if (same)
		return 0;
	if (m->rules_set(m->self, text, &fault, &why))
		log_failure("op=rules.restore message=\"%s\"", why.message);
	else
		log_info("op=rules.restore");
	return 0;
}

int rule_keeper_restore(struct rule_keeper *k, struct db *db, struct error *err)
{
	struct rule_row row;
	int rc;

	pthread_mutex_lock(&k->mutex);
	rc = rule_row_load(db, &row, err);
	if (rc == 0) {
		/* Before any were put, there may be somebody else's. */
		if (row.version > RULES_FIRST_VERSION)
			rc = give(k, row.text, err);
		rule_row_clear(&row);
	}
	pthread_mutex_unlock(&k->mutex);
	return rc;
}

static int announce(struct db *db, const struct requester *by,
		    struct error *err)
{
	struct event e = { .type = "rules.put" };

	snprintf(e.actor, sizeof(e.actor), "%s", by->actor);
	snprintf(e.request_id, sizeof(e.request_id), "%s", by->request_id);
	return event_add(db, &e, err);
}

static int save(struct db *db, const struct requester *by,
		const struct rule_row *row, struct refusal *r)
{
	if (db_begin(db, &r->error) || rule_row_save(db, row, &r->error) ||
	    announce(db, by, &r->error) || db_commit(db, &r->error)) {
		db_rollback(db);
		return refuse_error(r);
	}
	return 0;
}

/* With the lock held; old is what the store has. */
static int replace(struct rule_keeper *k, struct db *db,
		   const struct requester *by, const struct rule_row *old,
		   struct rule_row *row, struct machine_rule_fault *fault,
		   struct refusal *r)
{
	struct machine *m = k->machine;
	struct machine_rule_fault ignored;
	struct error why;

	if (m->rules_set(m->self, row->text, fault, &r->error)) {
		r->kind = fault->line ? REFUSED_INVALID : REFUSED_FAILURE;
		return -1;
	}
	row->version = old->version + 1;
	if (save(db, by, row, r) == 0)
		return 0;
	if (m->rules_set(m->self, old->text, &ignored, &why))
		log_failure("op=rules.restore message=\"%s\"", why.message);
	return -1;
}

int rule_keeper_put(struct rule_keeper *k, struct db *db,
		    const struct requester *by, int64_t version,
		    struct rule_row *row, struct machine_rule_fault *fault,
		    struct refusal *r)
{
	struct rule_row old;
	int rc = -1;

	pthread_mutex_lock(&k->mutex);
	if (rule_row_load(db, &old, &r->error)) {
		refuse_error(r);
	} else if (version != ANY_VERSION && version != old.version) {
		r->kind = REFUSED_VERSION;
		r->version = old.version;
		error_fill(&r->error, ERR_BUSY, "their version is %lld",
			   (long long)old.version);
		rule_row_clear(&old);
	} else {
		rc = replace(k, db, by, &old, row, fault, r);
		rule_row_clear(&old);
	}
	pthread_mutex_unlock(&k->mutex);
	return rc;
}

int rule_keeper_count(struct rule_keeper *k, struct db *db, int64_t *version,
		      struct machine_rule_counter *out, uint32_t most,
		      struct error *err)
{
	struct machine *m = k->machine;
	struct rule_row row;
	int count = -1;

	pthread_mutex_lock(&k->mutex);
	if (rule_row_load(db, &row, err) == 0) {
		*version = row.version;
		rule_row_clear(&row);
		count = *version > RULES_FIRST_VERSION
				? m->rules_counters(m->self, out, most, err)
				: 0;
	}
	pthread_mutex_unlock(&k->mutex);
	return count;
}
