// SPDX-License-Identifier: Apache-2.0
/* See metering.h. */
#include "metering/metering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "metering/sources.h"
#include "store/domain_rows.h"
#include "store/ledger.h"
#include "store/meter_rows.h"
#include "util/log.h"

#define NS_PER_S 1000000000LL
#define LEVEL_EVERY_NS (3600 * NS_PER_S)

struct metering {
	struct db *db;
	struct acct_store *ledger;
	struct machine *machine;
	struct meter_clock clock;
	/* Of the last metering_sample; its handle is "": none. */
	struct machine_meters sample;
};

static int failed(const struct acct_error *why, struct error *err)
{
	return ledger_failed(why, err);
}

static int end(struct metering *m, int rc, struct error *err)
{
	if (rc || db_commit(m->db, err)) {
		db_rollback(m->db);
		return -1;
	}
	return 0;
}

/* ---- times ---- */

static int64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int64_t on_calendar(const struct metering *m, uint64_t machine_ns)
{
	int64_t at =
		m->clock.wall_ns + ((int64_t)machine_ns - m->clock.machine_ns);

	return at < 0 ? 0 : at;
}

static int now(struct metering *m, int64_t *at_ns, struct error *err)
{
	struct machine_clock c;

	if (m->machine->clock(m->machine->self, &c, err))
		return -1;
	*at_ns = on_calendar(m, c.now_ns);
	return 0;
}

/* The machine was there then. */
static int saw(struct metering *m, int64_t at_ns, struct error *err)
{
	struct meter_clock c = m->clock;

	if (at_ns <= c.seen_ns)
		return 0;
	c.seen_ns = at_ns;
	if (meter_clock_save(m->db, &c, err))
		return -1;
	m->clock = c;
	return 0;
}

/* ---- samples ---- */

static int take_sample(void *context, const struct machine_meters *meters,
		       struct error *err)
{
	struct metering *m = context;

	(void)err;
	m->sample = *meters;
	return 0;
}

int metering_sample(struct metering *m, const char *handle, struct error *err)
{
	*m->sample.handle = '\0';
	if (m->machine->meters(m->machine->self, handle, take_sample, m, err) ==
	    0)
		return 0;
	*m->sample.handle = '\0';
	return err->code == ERR_NOT_FOUND || err->code == ERR_UNSUPPORTED ? 0
									  : -1;
}

/* NULL: there is none of this domain. */
static const struct machine_meters *sample_of(const struct metering *m,
					      const struct domain *d)
{
	return strcmp(m->sample.handle, d->id) == 0 ? &m->sample : NULL;
}

/* ---- one domain ---- */

/* incarnation: 0 for the volumes. */
static int read_all(struct metering *m, const struct domain *d,
		    uint64_t incarnation, const struct shown_list *l,
		    const struct source_reading *r, struct error *err)
{
	struct source_scope scope = { m->ledger, d, incarnation };
	struct acct_error why;

	for (unsigned int i = 0; i < l->count; i++)
		if (source_read(&scope, &l->list[i], r, &why))
			return failed(&why, err);
	return 0;
}

static int open_run(struct metering *m, const struct domain *d,
		    struct error *err)
{
	const struct machine_meters *meters = sample_of(m, d);
	struct meter_run run = { .created_ns = -1 };
	struct source_scope scope = { .ledger = m->ledger, .domain = d };
	struct shown_list shown;
	struct acct_error why;
	int found = meter_run_load(m->db, d->id, &run, err);
	int64_t at_ns;
	bool same;

	if (found < 0 || (!meters && now(m, &at_ns, err)))
		return -1;
	if (meters)
		at_ns = on_calendar(m, meters->created_ns);
	/* One that was believed to be gone. */
	same = found && meters && run.created_ns == (int64_t)meters->created_ns;
	if (!same)
		run.incarnation++;
	run.created_ns = meters ? (int64_t)meters->created_ns : -1;
	run.open = true;
	snprintf(run.domain_id, sizeof(run.domain_id), "%s", d->id);
	scope.incarnation = run.incarnation;
	shown_by_run(d, meters, &shown);
	for (unsigned int i = 0; i < shown.count; i++)
		if (source_open(&scope, &shown.list[i], at_ns, same, &why))
			return failed(&why, err);
	if (meter_run_save(m->db, &run, err))
		return -1;
	return meters ? saw(m, on_calendar(m, meters->at_ns), err) : 0;
}

static bool is_of_run(const struct machine_meters *meters,
		      const struct meter_run *run)
{
	return meters && (run->created_ns < 0 ||
			  run->created_ns == (int64_t)meters->created_ns);
}

/* With the sample; without one, nobody knows what it has used since it was read
 * last. */
static int end_run(struct metering *m, const struct domain *d,
		   struct error *err)
{
	const struct machine_meters *meters = sample_of(m, d);
	struct source_reading r = { .at_ns = m->clock.seen_ns,
				    .since_ns = m->clock.seen_ns,
				    .final = true };
	struct shown_list shown;
	struct meter_run run;
	struct acct_error why;
	int found = meter_run_load(m->db, d->id, &run, err);

	if (found <= 0 || !run.open)
		return found < 0 ? -1 : 0;
	if (is_of_run(meters, &run)) {
		r.at_ns = on_calendar(m, meters->at_ns);
		shown_by_run(d, meters, &shown);
		if (read_all(m, d, run.incarnation, &shown, &r, err) ||
		    saw(m, r.at_ns, err))
			return -1;
	}
	if (acct_ledger_end(m->ledger, d->id, run.incarnation, r.at_ns, &why))
		return failed(&why, err);
	run.open = false;
	return meter_run_save(m->db, &run, err);
}

/* Those that are there: one that is still to be made has no source. */
static int read_volumes(struct metering *m, const struct domain *d,
			const struct source_reading *r, struct error *err)
{
	struct source_scope scope = { m->ledger, d, 0 };
	struct acct_source s = { .meter = ACCT_DISK };
	struct shown_list shown;
	struct acct_entry last;
	struct acct_error why;

	shown_by_volumes(d, &shown);
	snprintf(s.domain, sizeof(s.domain), "%s", d->id);
	for (unsigned int i = 0; i < shown.count; i++) {
		int found;

		s.device = shown.list[i].device;
		found = m->ledger->ops->last_of(m->ledger, &s, UINT64_MAX,
						&last, &why);
		if (found < 0 ||
		    (found && source_read(&scope, &shown.list[i], r, &why)))
			return failed(&why, err);
	}
	return 0;
}

static bool runs(enum domain_state s)
{
	return s == DOMAIN_RUNNING || s == DOMAIN_PAUSED ||
	       s == DOMAIN_SHUTTING_DOWN;
}

int metering_follow(struct metering *m, const struct domain *d,
		    enum domain_state from, struct error *err)
{
	struct acct_error why;
	int64_t at_ns;

	if (runs(from) != runs(d->state)) {
		if (runs(from) ? end_run(m, d, err) : open_run(m, d, err))
			return -1;
		/* It is of that moment. */
		*m->sample.handle = '\0';
	}
	if (d->state != DOMAIN_DESTROYED)
		return 0;
	if (now(m, &at_ns, err))
		return -1;
	if (acct_ledger_close(m->ledger, d->id, at_ns, &why))
		return failed(&why, err);
	return 0;
}

int metering_volumes(struct metering *m, const struct domain *d,
		     struct error *err)
{
	struct source_scope scope = { .ledger = m->ledger, .domain = d };
	struct shown_list shown;
	struct acct_error why;
	int64_t at_ns;

	shown_by_volumes(d, &shown);
	if (!shown.count)
		return 0;
	if (now(m, &at_ns, err))
		return -1;
	for (unsigned int i = 0; i < shown.count; i++)
		if (source_open(&scope, &shown.list[i], at_ns, false, &why))
			return failed(&why, err);
	return 0;
}

int metering_settle(struct metering *m, const struct domain *d,
		    struct error *err)
{
	const struct machine_meters *meters = sample_of(m, d);
	struct meter_run run;
	int found = meter_run_load(m->db, d->id, &run, err);

	if (found < 0)
		return -1;
	if (meters && (!found || !is_of_run(meters, &run)) &&
	    open_run(m, d, err))
		return -1;
	if (end_run(m, d, err))
		return -1;
	*m->sample.handle = '\0';
	return 0;
}

/* ---- all domains ---- */

struct list {
	struct machine_meters *list; /* by handle */
	size_t count, room;
};

static int add_meters(void *context, const struct machine_meters *meters,
		      struct error *err)
{
	struct list *l = context;

	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		void *more = reallocarray(l->list, room, sizeof(*l->list));

		if (!more)
			return error_set(err, ERR_SYSTEM, "no memory");
		l->list = more;
		l->room = room;
	}
	l->list[l->count++] = *meters;
	return 0;
}

static int by_handle(const void *a, const void *b)
{
	return strcmp(((const struct machine_meters *)a)->handle,
		      ((const struct machine_meters *)b)->handle);
}

static const struct machine_meters *find_meters(const struct list *l,
						const char *handle)
{
	struct machine_meters key;

	if (!l->count)
		return NULL;
	memcpy(key.handle, handle, sizeof(key.handle));
	return bsearch(&key, l->list, l->count, sizeof(key), by_handle);
}

/* Of one that ran already when there was no metering yet: from now on. */
static int adopt_run(struct metering *m, const struct domain *d,
		     const struct machine_meters *meters, struct error *err)
{
	struct shown_list shown;
	struct meter_run run = { .incarnation = 1,
				 .created_ns = (int64_t)meters->created_ns,
				 .open = true };
	struct acct_reading r = { .at_ns = on_calendar(m, meters->at_ns) };
	struct acct_error why;

	snprintf(run.domain_id, sizeof(run.domain_id), "%s", d->id);
	shown_by_run(d, meters, &shown);
	for (unsigned int i = 0; i < shown.count; i++) {
		struct acct_source s = { .incarnation = 1,
					 .meter = shown.list[i].meter,
					 .device = shown.list[i].device };

		snprintf(s.domain, sizeof(s.domain), "%s", d->id);
		r.value = shown.list[i].value;
		if (acct_ledger_open(m->ledger, &s, d->tenant, &r, &why))
			return failed(&why, err);
	}
	return meter_run_save(m->db, &run, err);
}

static int read_run(struct metering *m, const struct domain *d,
		    const struct machine_meters *meters,
		    struct source_reading *r, struct error *err)
{
	struct shown_list shown;
	struct meter_run run;
	int found = meter_run_load(m->db, d->id, &run, err);

	if (found < 0)
		return -1;
	if (!found)
		return adopt_run(m, d, meters, err);
	/* A transition of it is to come. */
	if (!run.open || !is_of_run(meters, &run))
		return 0;
	r->at_ns = on_calendar(m, meters->at_ns);
	shown_by_run(d, meters, &shown);
	return read_all(m, d, run.incarnation, &shown, r, err);
}

struct round {
	struct metering *m;
	struct list meters;
	const char *account, *domain_id; /* NULL: all */
	int64_t at_ns;                   /* of the calendar */
	int64_t level_age_ns; /* levels that were read since are not again */
	char (*ids)[ID_MAX];
	size_t count, room;
};

static int add_id(void *context, const struct domain *d, struct error *err)
{
	struct round *round = context;

	if (round->domain_id && strcmp(d->id, round->domain_id) != 0)
		return 0;
	if (round->count == round->room) {
		size_t room = round->room ? 2 * round->room : 64;
		void *more = reallocarray(round->ids, room, ID_MAX);

		if (!more)
			return error_set(err, ERR_SYSTEM, "no memory");
		round->ids = more;
		round->room = room;
	}
	memcpy(round->ids[round->count++], d->id, ID_MAX);
	return 0;
}

static int list_domains(struct round *round, struct error *err)
{
	const struct domain_filter f = { .tenant = round->account,
					 .limit = INT64_MAX };

	return domain_list(round->m->db, &f, add_id, round, err);
}

static int read_domain(struct round *round, const char *id, struct error *err)
{
	struct metering *m = round->m;
	const struct machine_meters *meters = find_meters(&round->meters, id);
	struct source_reading r = {
		.at_ns = round->at_ns,
		.since_ns = m->clock.seen_ns,
		.level_since_ns = round->at_ns - round->level_age_ns,
	};
	struct domain d;

	if (domain_find(m->db, NULL, id, &d, err))
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	if (read_volumes(m, &d, &r, err))
		return -1;
	if (!meters || !runs(d.state))
		return 0;
	return read_run(m, &d, meters, &r, err);
}

static int read_domains(struct round *round, struct error *err)
{
	int rc = list_domains(round, err);

	for (size_t i = 0; rc == 0 && i < round->count; i++)
		rc = read_domain(round, round->ids[i], err);
	return rc;
}

static int make_round(struct round *round, struct error *err)
{
	struct metering *m = round->m;
	struct list *l = &round->meters;
	int rc = m->machine->meters(m->machine->self, round->domain_id,
				    add_meters, l, err);

	if (rc && err->code == ERR_NOT_FOUND)
		rc = 0;
	if (rc == 0)
		rc = now(m, &round->at_ns, err);
	if (rc == 0)
		rc = db_begin(m->db, err);
	if (rc == 0) {
		if (l->count)
			qsort(l->list, l->count, sizeof(*l->list), by_handle);
		rc = read_domains(round, err) || saw(m, round->at_ns, err);
		rc = end(m, rc, err);
	}
	free(l->list);
	free(round->ids);
	return rc;
}

int metering_collect(struct metering *m, struct error *err)
{
	struct round round = { .m = m, .level_age_ns = LEVEL_EVERY_NS };

	return make_round(&round, err);
}

int metering_refresh(struct metering *m, const char *account,
		     const char *domain_id, struct error *err)
{
	struct round round = { .m = m,
			       .account = account,
			       .domain_id = domain_id };

	return make_round(&round, err);
}

/* ---- the machine's lives ---- */

/* The machine has failed and was started anew, or everything was: what a domain
 * used after the last look nobody knows, and nobody pays for. Levels lasted at
 * least until then. */
static int abandon(struct metering *m, const struct domain *d,
		   struct error *err)
{
	struct source_reading r = { .at_ns = m->clock.seen_ns,
				    .since_ns = m->clock.seen_ns,
				    .level_since_ns = m->clock.seen_ns };
	struct meter_run run;
	struct acct_error why;
	int found = meter_run_load(m->db, d->id, &run, err);

	if (found < 0 || read_volumes(m, d, &r, err))
		return -1;
	if (found && run.open) {
		struct source_scope scope = { m->ledger, d, run.incarnation };
		struct shown memory = { ACCT_MEMORY, 0, d->spec.memory_bytes };

		if (source_read(&scope, &memory, &r, &why))
			return failed(&why, err);
		run.open = false;
		if (meter_run_save(m->db, &run, err))
			return -1;
	}
	if (acct_ledger_abandon(m->ledger, d->id, &why))
		return failed(&why, err);
	return 0;
}

static int each_domain(struct metering *m,
		       int (*what)(struct metering *m, const struct domain *d,
				   struct error *err),
		       struct error *err)
{
	struct round round = { .m = m };
	int rc = list_domains(&round, err);

	for (size_t i = 0; rc == 0 && i < round.count; i++) {
		struct domain d;

		rc = domain_find(m->db, NULL, round.ids[i], &d, err) ||
				     what(m, &d, err)
			     ? -1
			     : 0;
	}
	free(round.ids);
	return rc;
}

/* In a transaction. first: there was no metering yet. */
static int begin_life(struct metering *m, bool first,
		      const struct machine_clock *c, struct error *err)
{
	if (!first && each_domain(m, abandon, err))
		return -1;
	snprintf(m->clock.boot, sizeof(m->clock.boot), "%s", c->boot);
	m->clock.machine_ns = (int64_t)c->now_ns;
	/* Time in the ledger never goes back, whatever the calendar does. */
	m->clock.wall_ns = wall_ns();
	if (m->clock.wall_ns < m->clock.seen_ns)
		m->clock.wall_ns = m->clock.seen_ns;
	m->clock.seen_ns = m->clock.wall_ns;
	log_info("op=metering.clock boot=%s machine_ns=%lld wall_ns=%lld",
		 m->clock.boot, (long long)m->clock.machine_ns,
		 (long long)m->clock.wall_ns);
	return meter_clock_save(m->db, &m->clock, err) ||
			       each_domain(m, metering_volumes, err)
		       ? -1
		       : 0;
}

static int set_clock(struct metering *m, struct error *err)
{
	struct machine_clock c;
	int found = meter_clock_load(m->db, &m->clock, err);

	if (found < 0 || m->machine->clock(m->machine->self, &c, err))
		return -1;
	if (found && strcmp(m->clock.boot, c.boot) == 0)
		return 0;
	if (db_begin(m->db, err))
		return -1;
	return end(m, begin_life(m, !found, &c, err), err);
}

int metering_open(struct metering **out, struct db *db, struct machine *machine,
		  const char *currency, struct error *err)
{
	struct metering *m = calloc(1, sizeof(*m));

	if (!m)
		return error_set(err, ERR_SYSTEM, "no memory");
	m->db = db;
	m->machine = machine;
	if (ledger_create(db, currency, err) ||
	    ledger_open(db, &m->ledger, err) || set_clock(m, err)) {
		free(m);
		return -1;
	}
	*out = m;
	return 0;
}

void metering_close(struct metering *m)
{
	free(m);
}
