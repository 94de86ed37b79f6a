// SPDX-License-Identifier: Apache-2.0
/*
 * See volume_worker.h. An act is entered into the journal before it is begun.
 * One that was cut short is done again from the volume's row, which says what
 * there was before.
 */
#include "orchestrate/volume_worker.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orchestrate/requests.h"
#include "store/operation_rows.h"
#include "store/volume_rows.h"
#include "util/clock.h"
#include "util/log.h"

#define TICK_MS 1000

struct volume_worker {
	const struct orchestration_options *options;
	struct db *db; /* the thread's own */
	pthread_t thread;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t wake;
	bool stop, woken;
};

static int end(struct volume_worker *w, int rc, struct error *err)
{
	const struct orchestration_options *o = w->options;

	if (rc || db_commit(w->db, err)) {
		db_rollback(w->db);
		return -1;
	}
	if (o->changed)
		o->changed(o->changed_context);
	return 0;
}

static int begin(struct volume_worker *w, struct operation *o, const char *act,
		 struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	o->state = OPERATION_RUNNING;
	if (!o->started_wall_ms)
		o->started_wall_ms = wall_now_ms();
	return end(w,
		   operation_save(w->db, o, err) ||
			   journal_begin(w->db, o->id, act, err),
		   err);
}

/* why NULL: it has succeeded. */
static int finish(struct volume_worker *w, struct operation *o,
		  struct volume *v, enum volume_state state,
		  const struct error *why, struct error *err)
{
	const char *word;

	if (db_begin(w->db, err))
		return -1;
	o->state = why ? OPERATION_FAILED : OPERATION_SUCCEEDED;
	o->finished_wall_ms = wall_now_ms();
	if (why) {
		snprintf(o->problem_code, sizeof(o->problem_code), "%s",
			 error_word(why->code));
		snprintf(o->problem, sizeof(o->problem), "%s", why->message);
	}
	v->state = state;
	word = operation_state_word(o->state);
	log_info(
		"op=volume.%s operation=%s volume=%s outcome=%s problem=%s request=%s ms=%lld",
		domain_action_word(o->action), o->id, v->id, word,
		why ? o->problem_code : "none", o->request_id,
		(long long)(o->finished_wall_ms - o->created_wall_ms));
	return end(w,
		   journal_end(w->db, o->id, word, err) ||
			   operation_save(w->db, o, err) ||
			   volume_save(w->db, v, err) ||
			   announce_volume(w->db, v, o, err) ||
			   announce_operation(w->db, o, err),
		   err);
}

static int create(struct volume_worker *w, struct operation *o,
		  struct volume *v, struct error *err)
{
	struct machine *m = w->options->machine;
	struct disk_spec disk = { .device = VOLUME_DEVICE,
				  .size_bytes = v->bytes };
	struct error why, ignored;

	memcpy(disk.image, v->image, sizeof(disk.image));
	if (begin(w, o, "volume", err))
		return -1;
	if (m->volume_create(m->self, v->id, &disk, &why) == 0)
		return finish(w, o, v, VOLUME_AVAILABLE, NULL, err);
	if (m->volume_remove(m->self, v->id, VOLUME_DEVICE, &ignored))
		log_failure("op=volume.remove volume=%s message=\"%s\"", v->id,
			    ignored.message);
	return finish(w, o, v, VOLUME_DELETED, &why, err);
}

static int grow(struct volume_worker *w, struct operation *o, struct volume *v,
		struct error *err)
{
	struct machine *m = w->options->machine;
	struct error why;

	if (begin(w, o, "grow", err))
		return -1;
	if (m->volume_grow(m->self, v->id, VOLUME_DEVICE, v->bytes,
			   v->claim_bytes, &why)) {
		v->claim_bytes = v->bytes;
		return finish(w, o, v, VOLUME_AVAILABLE, &why, err);
	}
	v->bytes = v->claim_bytes;
	return finish(w, o, v, VOLUME_AVAILABLE, NULL, err);
}

static int delete (struct volume_worker *w, struct operation *o,
		   struct volume *v, struct error *err)
{
	struct machine *m = w->options->machine;
	struct error why;

	if (begin(w, o, "remove", err))
		return -1;
	if (m->volume_remove(m->self, v->id, VOLUME_DEVICE, &why))
		return finish(w, o, v, VOLUME_AVAILABLE, &why, err);
	return finish(w, o, v, VOLUME_DELETED, NULL, err);
}

static int perform(struct volume_worker *w, struct operation *o,
		   struct error *err)
{
	struct volume v;

	if (volume_find(w->db, NULL, o->domain_id, &v, err))
		return -1;
	switch (o->action) {
	case ACTION_CREATE:
		return create(w, o, &v, err);
	case ACTION_UPDATE:
		return grow(w, o, &v, err);
	default:
		return delete (w, o, &v, err);
	}
}

static int resume(struct volume_worker *w, struct error *err)
{
	if (db_begin(w->db, err))
		return -1;
	return end(w, volume_operations_resume(w->db, err) < 0, err);
}

static bool stopping(struct volume_worker *w)
{
	bool stop;

	pthread_mutex_lock(&w->mutex);
	stop = w->stop;
	pthread_mutex_unlock(&w->mutex);
	return stop;
}

static int work(struct volume_worker *w, struct error *err)
{
	struct operation o;
	int more = 0;

	while (!stopping(w) &&
	       (more = volume_operation_next(w->db, &o, err)) == 1)
		if (perform(w, &o, err))
			return -1;
	return more < 0 ? -1 : 0;
}

/* Until there may be something to do; false: to end. */
static bool wait(struct volume_worker *w)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += TICK_MS / 1000;
	pthread_mutex_lock(&w->mutex);
	while (!w->stop && !w->woken)
		if (pthread_cond_timedwait(&w->wake, &w->mutex, &until))
			break;
	stop = w->stop;
	w->woken = false;
	pthread_mutex_unlock(&w->mutex);
	return !stop;
}

static void *run(void *context)
{
	struct volume_worker *w = context;
	bool healthy = true;
	struct error err;

	do {
		/* After a failure as after a start. */
		healthy =
			(healthy || resume(w, &err) == 0) && work(w, &err) == 0;
		if (!healthy)
			log_failure("op=volumes message=\"%s\"", err.message);
	} while (wait(w));
	return NULL;
}

static void destroy(struct volume_worker *w)
{
	db_close(w->db);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->mutex);
	free(w);
}

int volume_worker_open(struct volume_worker **out,
		       const struct orchestration_options *options,
		       struct error *err)
{
	struct volume_worker *w = calloc(1, sizeof(*w));

	if (!w)
		return error_set(err, ERR_SYSTEM, "no memory");
	w->options = options;
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->wake, NULL);
	if (db_open(&w->db, options->store_path, err) || resume(w, err)) {
		destroy(w);
		return -1;
	}
	if (pthread_create(&w->thread, NULL, run, w)) {
		destroy(w);
		return error_set(err, ERR_SYSTEM, "no thread");
	}
	*out = w;
	return 0;
}

void volume_worker_close(struct volume_worker *w)
{
	pthread_mutex_lock(&w->mutex);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mutex);
	pthread_join(w->thread, NULL);
	destroy(w);
}

void volume_worker_wake(struct volume_worker *w)
{
	pthread_mutex_lock(&w->mutex);
	w->woken = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->mutex);
}
