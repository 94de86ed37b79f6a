/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that say what is wrong: problem documents of RFC 9457, for programs
 * by their type, for people by their detail. */
#ifndef API_PROBLEM_H
#define API_PROBLEM_H

#include <jansson.h>

#include "api/api.h"
#include "model/violation.h"
#include "orchestrate/requests.h"

enum problem {
	PROBLEM_MALFORMED,
	PROBLEM_UNAUTHENTICATED,
	PROBLEM_FORBIDDEN,
	PROBLEM_NOT_FOUND,
	PROBLEM_METHOD,
	PROBLEM_STATE,
	PROBLEM_BUSY,
	PROBLEM_NAME,
	PROBLEM_ADDRESS,
	PROBLEM_CAPACITY,
	PROBLEM_FIXED,
	PROBLEM_IN_USE,
	PROBLEM_GONE,
	PROBLEM_VERSION,
	PROBLEM_TOO_LARGE,
	PROBLEM_MEDIA_TYPE,
	PROBLEM_INVALID,
	PROBLEM_KEY_REUSED,
	PROBLEM_VERSION_REQUIRED,
	PROBLEM_UPGRADE,
	PROBLEM_NO_SPACE,
	PROBLEM_STORE_BUSY,
	PROBLEM_STOPPING,
	PROBLEM_FAILURE,
	PROBLEMS
};

/* more: further members, which are taken over; NULL: none. */
void answer_problem(const struct request *r, struct answer *a, enum problem p,
		    json_t *more, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Fields, values and limits. */
void answer_violations(const struct request *r, struct answer *a,
		       const struct violations *v);
/* For what orchestration refused. */
void answer_refusal(const struct request *r, struct answer *a,
		    const struct refusal *f);
/* For what the store failed at: 404 for what is not there. */
void answer_error(const struct request *r, struct answer *a,
		  const struct error *err);

#endif
