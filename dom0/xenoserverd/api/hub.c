// SPDX-License-Identifier: Apache-2.0
/* See hub.h. A thread of its own looks whose time is up. */
#include "api/hub.h"

#include <pthread.h>
#include <stdlib.h>

#include "util/clock.h"

struct waiter {
	struct waiter *next;
	struct MHD_Connection *connection;
	int64_t until_ms;
};

struct hub {
	pthread_t thread;
	pthread_mutex_t mutex; /* of all below */
	pthread_cond_t closing;
	bool drained, close;
	uint64_t generation;
	struct waiter *first;
};

/* Those whose time is up at now_ms, with the lock held. */
static void resume_locked(struct hub *h, int64_t now_ms)
{
	struct waiter **at = &h->first;

	while (*at) {
		struct waiter *w = *at;

		if (w->until_ms > now_ms) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		MHD_resume_connection(w->connection);
		free(w);
	}
}

static void *watch(void *context)
{
	struct hub *h = context;

	pthread_mutex_lock(&h->mutex);
	while (!h->close) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&h->closing, &h->mutex, &until);
		resume_locked(h, monotonic_now_ms());
	}
	pthread_mutex_unlock(&h->mutex);
	return NULL;
}

int hub_open(struct hub **out, struct error *err)
{
	struct hub *h = calloc(1, sizeof(*h));

	if (!h)
		return error_set(err, ERR_SYSTEM, "no memory");
	pthread_mutex_init(&h->mutex, NULL);
	pthread_cond_init(&h->closing, NULL);
	if (pthread_create(&h->thread, NULL, watch, h)) {
		free(h);
		return error_set(err, ERR_SYSTEM, "no thread");
	}
	*out = h;
	return 0;
}

void hub_close(struct hub *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->mutex);
	h->close = true;
	pthread_cond_signal(&h->closing);
	pthread_mutex_unlock(&h->mutex);
	pthread_join(h->thread, NULL);
	pthread_cond_destroy(&h->closing);
	pthread_mutex_destroy(&h->mutex);
	free(h);
}

uint64_t hub_generation(struct hub *h)
{
	uint64_t generation;

	pthread_mutex_lock(&h->mutex);
	generation = h->generation;
	pthread_mutex_unlock(&h->mutex);
	return generation;
}

bool hub_wait(struct hub *h, struct MHD_Connection *c, uint64_t generation,
	      int64_t until_monotonic_ms)
{
	struct waiter *w = malloc(sizeof(*w));
	bool waits;

	pthread_mutex_lock(&h->mutex);
	waits = w && !h->drained && h->generation == generation &&
		until_monotonic_ms > monotonic_now_ms();
	if (waits) {
		*w = (struct waiter){ h->first, c, until_monotonic_ms };
		h->first = w;
		MHD_suspend_connection(c);
	}
	pthread_mutex_unlock(&h->mutex);
	if (!waits)
		free(w);
	return waits;
}

void hub_wake(struct hub *h)
{
	pthread_mutex_lock(&h->mutex);
	h->generation++;
	resume_locked(h, INT64_MAX);
	pthread_mutex_unlock(&h->mutex);
}

void hub_drain(struct hub *h)
{
	pthread_mutex_lock(&h->mutex);
	h->drained = true;
	resume_locked(h, INT64_MAX);
	pthread_mutex_unlock(&h->mutex);
}

bool hub_drained(struct hub *h)
{
	bool drained;

	pthread_mutex_lock(&h->mutex);
	drained = h->drained;
	pthread_mutex_unlock(&h->mutex);
	return drained;
}
