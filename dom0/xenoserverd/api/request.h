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
/* Seconds to wait for what is asked for; -1: the answer says what is wrong. */
long read_wait_s(struct request *r, struct answer *a);
/* Whose a new thing is to be, that of tenant `asked` or, if that is "", of who
 * asks; NULL: the answer says what is wrong. */
const char *read_tenant(struct request *r, struct answer *a, const char *asked);

#endif
