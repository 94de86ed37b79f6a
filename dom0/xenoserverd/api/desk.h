/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What takes too long for the thread of a door is done at the desk, by a few
 * threads with handles of the store of their own: a request leaves a job there,
 * and its connection waits in the hub until the job is finished. Who asked may
 * be gone by then: a job belongs to the desk and to its request together.
 */
#ifndef API_DESK_H
#define API_DESK_H

#include "api/api.h"

struct job {
	/* In one of the desk's threads. */
	void (*perform)(struct job *j, struct api *api, struct db *db);
	/* With all that it holds, when nobody has it any more. */
	void (*discard)(struct job *j);
	/* The desk's. */
	struct job *next;
	bool finished;
	unsigned int owners;
};

struct desk;

int desk_open(struct desk **out, struct api *api, struct error *err);
/* After the jobs at hand; those not begun are not. NULL: nothing. */
void desk_close(struct desk *d);

/* The request's job, which it has no other yet: the desk's as well from now on.
 */
void desk_submit(struct request *r, struct job *j);
/* Whether the request's job is finished. If not, the answer says to ask again
 * when it is. */
bool desk_await(struct request *r, struct answer *a);
/* It does not need its job any more, if it has one. */
void desk_release(struct request *r);

#endif
