/* SPDX-License-Identifier: Apache-2.0 */
/* What several resources read from a request, and tell orchestration of it. */
#ifndef API_REQUEST_H
#define API_REQUEST_H

#include "api/api.h"
#include "orchestrate/requests.h"

/* Whose what an operator makes is, if nobody is named. */
#define OPERATORS_TENANT "node"

struct requester requester_of(const struct request *r);
struct capacity capacity_of(const struct request *r);
/* The version that If-Match names; -1: the answer says what is wrong. */
int read_if_match(struct request *r, struct answer *a, bool needed,
		  int64_t *version);

#endif
