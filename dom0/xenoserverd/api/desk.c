// SPDX-License-Identifier: Apache-2.0
/* See desk.h. */
#include "api/desk.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/problem.h"
#include "util/clock.h"

#define THREADS 4
/* How long a request waits for its job. */
#define PATIENCE_MS 120000

struct desk {
	struct api *api;
	struct db *dbs[THREADS];
	pthread_t threads[THREADS];
	unsigned int started;
	pthread_mutex_t mutex; /* of all below, and of the jobs' last fields */
	pthread_cond_t wake;
	bool close;
	struct job *first, **last;
};

struct clerk {
	struct desk *desk;
	struct db *db;
};

static void leave(struct desk *d, struct job *j)
{
	bool last;

	pthread_mutex_lock(&d->mutex);
	last = --j->owners == 0;
	pthread_mutex_unlock(&d->mutex);
	if (last)
		j->discard(j);
}

static struct job *next_job(struct desk *d)
{
	struct job *j;

	pthread_mutex_lock(&d->mutex);
	while (!d->first && !d->close)
		pthread_cond_wait(&d->wake, &d->mutex);
	j = d->close ? NULL : d->first;
	if (j)
		d->first = j->next;
	if (!d->first)
		d->last = &d->first;
	pthread_mutex_unlock(&d->mutex);
	return j;
}

static void *serve(void *context)
{
	struct clerk c = *(struct clerk *)context;
	struct job *j;

	free(context);
	while ((j = next_job(c.desk))) {
		j->perform(j, c.desk->api, c.db);
		pthread_mutex_lock(&c.desk->mutex);
		j->finished = true;
		pthread_mutex_unlock(&c.desk->mutex);
		leave(c.desk, j);
		hub_wake(c.desk->api->hub);
	}
	return NULL;
}

static int start(struct desk *d, struct error *err)
{
	struct clerk *c = malloc(sizeof(*c));
	struct db **db = &d->dbs[d->started];

	if (!c)
		return error_set(err, ERR_SYSTEM, "no memory");
	if (db_open(db, d->api->options.orchestration.store_path, err)) {
		free(c);
		return -1;
	}
	*c = (struct clerk){ d, *db };
	if (pthread_create(&d->threads[d->started], NULL, serve, c)) {
		free(c);
		db_close(*db);
		return error_set(err, ERR_SYSTEM, "no thread");
	}
	d->started++;
	return 0;
}

int desk_open(struct desk **out, struct api *api, struct error *err)
{
	struct desk *d = calloc(1, sizeof(*d));

	if (!d)
		return error_set(err, ERR_SYSTEM, "no memory");
	d->api = api;
	d->last = &d->first;
	pthread_mutex_init(&d->mutex, NULL);
	pthread_cond_init(&d->wake, NULL);
	while (d->started < THREADS)
		if (start(d, err)) {
			desk_close(d);
			return -1;
		}
	*out = d;
	return 0;
}

void desk_close(struct desk *d)
{
	struct job *next;

	if (!d)
		return;
	pthread_mutex_lock(&d->mutex);
	d->close = true;
	pthread_cond_broadcast(&d->wake);
	pthread_mutex_unlock(&d->mutex);
	for (unsigned int i = 0; i < d->started; i++) {
		pthread_join(d->threads[i], NULL);
		db_close(d->dbs[i]);
	}
	for (struct job *j = d->first; j; j = next) {
		next = j->next;
		leave(d, j);
	}
	pthread_cond_destroy(&d->wake);
	pthread_mutex_destroy(&d->mutex);
	free(d);
}

void desk_submit(struct request *r, struct job *j)
{
	struct desk *d = r->api->desk;

	r->job = j;
	j->next = NULL;
	j->finished = false;
	j->owners = 2;
	pthread_mutex_lock(&d->mutex);
	*d->last = j;
	d->last = &j->next;
	pthread_cond_signal(&d->wake);
	pthread_mutex_unlock(&d->mutex);
}

bool desk_await(struct request *r, struct answer *a)
{
	struct desk *d = r->api->desk;
	bool finished;

	pthread_mutex_lock(&d->mutex);
	finished = r->job->finished;
	pthread_mutex_unlock(&d->mutex);
	if (finished)
		return true;
	answer_problem(r, a, PROBLEM_STORE_BUSY, NULL,
		       "the node has not come to this in time");
	a->wait_until_ms = r->started_ms + PATIENCE_MS;
	return false;
}

void desk_release(struct request *r)
{
	if (r->job)
		leave(r->api->desk, r->job);
	r->job = NULL;
}
