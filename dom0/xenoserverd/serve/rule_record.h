/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a later process has to know about the rules: a file "rules" in the
 * folder of records.h, replaced whole and durably. It has the policy with its
 * bindings and totals, and which table was in force, so that what that one has
 * counted since can be added.
 */
#ifndef SERVE_RULE_RECORD_H
#define SERVE_RULE_RECORD_H

#include "network/rule_policy.h"

struct rule_record {
	struct rule_policy *policy;
	uint64_t generation; /* of the table in force */
	bool stale;          /* that table is not the policy's */
};

int rule_record_write(const char *folder, const struct rule_record *r,
		      struct error *err);
/* ERR_NOT_FOUND: there is none. After an error there is no policy. */
int rule_record_read(const char *folder, struct rule_record *r,
		     struct error *err);

#endif
