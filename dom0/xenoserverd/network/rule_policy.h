/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy of the firewall-router: rules as they were given, the domains that
 * they name now, and what each rule has counted since it was given. The table
 * in force is made from it, again and again: it has those rules only whose
 * domains there are. Pure.
 */
#ifndef NETWORK_RULE_POLICY_H
#define NETWORK_RULE_POLICY_H

#include <stdbool.h>

#include "network/rule_parse.h"

#define RULE_NO_DOMAIN UINT32_MAX /* there is none of that name */
#define RULE_LEFT_OUT UINT32_MAX  /* as slot: not in the table in force */

struct policy_rule {
	struct given_rule given;
	/* Of those that are named. */
	uint32_t domain_id, redirect_id;
	uint32_t slot; /* its place in the table in force */
	/* What it has counted in all; what of it is that table's. */
	struct xeno_rule_counter total, seen;
};

struct rule_policy {
	char *text;
	uint32_t count;
	uint32_t in_force; /* rules of the table in force */
	struct policy_rule *rules;
};

/* No domain is there, no rule in force and nothing counted. NULL: err. */
struct rule_policy *rule_policy_new(const char *text, struct error *err);
void rule_policy_free(struct rule_policy *p);

/* The domain of that name has this id now, or RULE_NO_DOMAIN. false: nothing
 * changes by that. */
bool rule_policy_bind(struct rule_policy *p, const char *name, uint32_t id);
/* None of the domains is there. */
void rule_policy_unbind(struct rule_policy *p);
/* The first name without a domain; NULL: all have one. */
const char *rule_policy_unbound(const struct rule_policy *p);

/* The table, in the order of the rules; its length. source[i] is the place of
 * its rule i in the policy. Both have room for p->count. */
uint32_t rule_policy_compile(const struct rule_policy *p,
			     struct xeno_rule *table, uint32_t *source);
/* That table is in force now, and its counters are 0. */
void rule_policy_in_force(struct rule_policy *p, const uint32_t *source,
			  uint32_t count);
/* now: the counters of the table in force. */
void rule_policy_count(struct rule_policy *p,
		       const struct xeno_rule_counter *now);

#endif
