// SPDX-License-Identifier: Apache-2.0
/* See orchestration.h: the worker's thread and what other threads may ask of
 * it. When the store or the machine fails it, it starts over as after a
 * restart. */
#include "orchestrate/orchestration.h"

#include <pthread.h>
#include <stdlib.h>

#include "orchestrate/refresh.h"
#include "orchestrate/rules.h"
#include "orchestrate/volume_worker.h"
#include "orchestrate/worker.h"
#include "store/operation_rows.h"
#include "util/clock.h"
#include "util/log.h"

#define TICK_MS 1000
/* Somebody may have done something to domains behind our back. */
#define LOOK_EVERY_MS 30000
#define METER_EVERY_MS 60000

struct orchestration {
	struct worker worker; /* the thread's own */
	bool stale;           /* its own too: the node is to be looked at */
	pthread_t thread;
	struct volume_worker *volumes;
	struct rule_keeper *rules;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t wake;
	bool stop, woken, ended; /* ended: something of the machine's */
	struct refreshes refreshes;
	struct orchestration_status status;
};

static void notified(void *context)
{
	struct orchestration *o = context;

	pthread_mutex_lock(&o->mutex);
	o->ended = true;
	pthread_cond_signal(&o->wake);
	pthread_mutex_unlock(&o->mutex);
}

void orchestration_wake(struct orchestration *o)
{
	pthread_mutex_lock(&o->mutex);
	o->woken = true;
	pthread_cond_signal(&o->wake);
	pthread_mutex_unlock(&o->mutex);
	if (o->volumes)
		volume_worker_wake(o->volumes);
}

void orchestration_status(struct orchestration *o,
			  struct orchestration_status *out)
{
	pthread_mutex_lock(&o->mutex);
	*out = o->status;
	pthread_mutex_unlock(&o->mutex);
}

struct rule_keeper *orchestration_rules(struct orchestration *o)
{
	return o->rules;
}

bool orchestration_refresh(struct orchestration *o, const char *account,
			   const char *domain_id, int64_t since_ms)
{
	int64_t after_ms = since_ms - o->worker.options.meter_age_ms;
	bool fresh;

	pthread_mutex_lock(&o->mutex);
	fresh = refresh_ask(&o->refreshes, account, domain_id, after_ms);
	o->woken |= !fresh;
	pthread_cond_signal(&o->wake);
	pthread_mutex_unlock(&o->mutex);
	return fresh;
}

/* For those who wait for readings. */
static int refresh(struct orchestration *o, struct error *err)
{
	const struct orchestration_options *p = &o->worker.options;
	struct refresh r;

	for (;;) {
		int64_t begun_ms = monotonic_now_ms();
		bool any;

		pthread_mutex_lock(&o->mutex);
		any = refresh_take(&o->refreshes, &r);
		pthread_mutex_unlock(&o->mutex);
		if (!any)
			return 0;
		if (metering_refresh(o->worker.metering,
				     *r.account ? r.account : NULL,
				     *r.domain_id ? r.domain_id : NULL, err))
			return -1;
		pthread_mutex_lock(&o->mutex);
		refresh_done(&o->refreshes, &r, begun_ms);
		pthread_mutex_unlock(&o->mutex);
		if (p->changed)
			p->changed(p->changed_context);
	}
}

static void set_health(struct orchestration *o, bool healthy)
{
	pthread_mutex_lock(&o->mutex);
	o->status.healthy = healthy;
	pthread_mutex_unlock(&o->mutex);
}

static uint64_t less(uint64_t all, uint64_t kept)
{
	return all > kept ? all - kept : 0;
}

static int learn_node(struct orchestration *o, struct error *err)
{
	const struct orchestration_options *p = &o->worker.options;
	struct machine_node node = { .cpus = 0 };

	if (p->machine->node(p->machine->self, &node, err))
		return -1;
	pthread_mutex_lock(&o->mutex);
	o->status.node = node;
	o->status.capacity = (struct capacity){
		.memory_bytes = less(node.memory_bytes, p->node_memory_bytes),
		.domain_overhead_bytes = p->domain_overhead_bytes,
		.cpu_permille = less(node.cpus * 1000ULL, p->node_cpu_permille),
		.pool_bytes = node.pool_bytes,
	};
	pthread_mutex_unlock(&o->mutex);
	return 0;
}

/* As after a start: what was cut short is queued again, then facts win. */
static int reconcile(struct orchestration *o, struct error *err)
{
	struct worker *w = &o->worker;
	int resumed;

	if (db_begin(w->db, err))
		return -1;
	resumed = operations_resume(w->db, err);
	if (resumed < 0 || db_commit(w->db, err)) {
		db_rollback(w->db);
		return -1;
	}
	if (resumed)
		log_info("op=reconcile resumed=%d", resumed);
	return learn_node(o, err) ||
			       worker_begin_boot(w, o->status.node.boot, err) ||
			       worker_observe(w, err) ||
			       rule_keeper_restore(o->rules, w->db, err)
		       ? -1
		       : 0;
}

/* Until there is nothing more to do. */
static int work(struct orchestration *o, bool ended, struct error *err)
{
	struct worker *w = &o->worker;
	struct operation operation;
	int more;

	o->stale |= ended;
	if (ended && worker_observe(w, err))
		return -1;
	while ((more = operation_next(w->db, &operation, err)) == 1) {
		o->stale = true;
		if (worker_perform(w, &operation, err) ||
		    (w->look_again && worker_observe(w, err)) ||
		    refresh(o, err))
			return -1;
		pthread_mutex_lock(&o->mutex);
		ended = o->ended || o->stop;
		pthread_mutex_unlock(&o->mutex);
		/* What has ended is not kept waiting by a long queue. */
		if (ended)
			return 0;
	}
	if (more >= 0 && refresh(o, err))
		return -1;
	while (more >= 0 && (more = operation_overdue(w->db, wall_now_ms(),
						      &operation, err)) == 1)
		if (worker_give_up(w, &operation, err))
			return -1;
	return more;
}

/* Until there may be something to do; false: to end. */
static bool wait(struct orchestration *o, bool *ended)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TICK_MS / 1000;
	pthread_mutex_lock(&o->mutex);
	while (!o->stop && !o->woken && !o->ended)
		if (pthread_cond_timedwait(&o->wake, &o->mutex, &until))
			break;
	stop = o->stop;
	*ended = o->ended;
	o->woken = o->ended = false;
	pthread_mutex_unlock(&o->mutex);
	return !stop;
}

/* What it has queued is done at once. */
static int stop(struct orchestration *o, bool *stopped, struct error *err)
{
	if (worker_stop(&o->worker, stopped, err))
		return -1;
	return o->worker.stopping && !*stopped ? work(o, false, err) : 0;
}

static void *run(void *context)
{
	struct orchestration *o = context;
	int64_t interval_ms =
		o->worker.options.meter_interval_ms ?: METER_EVERY_MS;
	int64_t looked_ms = monotonic_now_ms(), metered_ms = looked_ms;
	bool ended = true, healthy = true, stopped = false;
	struct error err;

	do {
		int rc = healthy ? 0 : reconcile(o, &err);

		if (rc == 0)
			rc = work(o, ended, &err);
		if (rc == 0 && monotonic_now_ms() - looked_ms > LOOK_EVERY_MS) {
			looked_ms = monotonic_now_ms();
			o->stale = true;
			rc = worker_observe(&o->worker, &err);
		}
		if (rc == 0 && o->stale) {
			o->stale = false;
			rc = learn_node(o, &err);
		}
		if (rc == 0 && monotonic_now_ms() - metered_ms >= interval_ms) {
			metered_ms = monotonic_now_ms();
			rc = metering_collect(o->worker.metering, &err);
		}
		if (rc == 0)
			rc = stop(o, &stopped, &err);
		if (rc)
			log_failure("op=worker message=\"%s\"", err.message);
		healthy = rc == 0;
		set_health(o, healthy);
	} while (!stopped && wait(o, &ended));
	if (stopped && o->worker.options.stopped) {
		log_info("op=node.stopped");
		o->worker.options.stopped(o->worker.options.stopped_context);
	}
	return NULL;
}

static void destroy(struct orchestration *o)
{
	rule_keeper_close(o->rules);
	metering_close(o->worker.metering);
	db_close(o->worker.db);
	pthread_cond_destroy(&o->wake);
	pthread_mutex_destroy(&o->mutex);
	free(o);
}

int orchestration_open(struct orchestration **out,
		       const struct orchestration_options *options,
		       struct error *err)
{
	struct orchestration *o = calloc(1, sizeof(*o));

	if (!o)
		return error_set(err, ERR_SYSTEM, "no memory");
	o->worker.options = *options;
	o->worker.machine = options->machine;
	pthread_mutex_init(&o->mutex, NULL);
	pthread_cond_init(&o->wake, NULL);
	options->machine->notify = notified;
	options->machine->notify_context = o;
	if (rule_keeper_open(&o->rules, options->machine, err) ||
	    db_open(&o->worker.db, options->store_path, err) ||
	    metering_open(&o->worker.metering, o->worker.db, options->machine,
			  options->currency, err) ||
	    reconcile(o, err)) {
		destroy(o);
		return -1;
	}
	o->status.healthy = true;
	if (volume_worker_open(&o->volumes, &o->worker.options, err)) {
		destroy(o);
		return -1;
	}
	if (pthread_create(&o->thread, NULL, run, o)) {
		volume_worker_close(o->volumes);
		destroy(o);
		return error_set(err, ERR_SYSTEM, "no thread");
	}
	*out = o;
	return 0;
}

void orchestration_close(struct orchestration *o)
{
	if (!o)
		return;
	pthread_mutex_lock(&o->mutex);
	o->stop = true;
	pthread_cond_signal(&o->wake);
	pthread_mutex_unlock(&o->mutex);
	pthread_join(o->thread, NULL);
	volume_worker_close(o->volumes);
	destroy(o);
}
