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

int rule_record_write(const char *folder, const struct rule_policy *p,
		      uint64_t generation, struct error *err);
/* NULL with ERR_NOT_FOUND: there is none. */
struct rule_policy *rule_record_read(const char *folder, uint64_t *generation,
				     struct error *err);

#endif
