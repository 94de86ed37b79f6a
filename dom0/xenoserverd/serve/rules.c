// SPDX-License-Identifier: Apache-2.0
/* See rules.h. */
#include "serve/rules.h"

#include <inttypes.h>

#include "hv/hv_devices.h"
#include "util/log.h"

/* Domains asked for at a time. */
#define LIST_MAX 64
/* Numbers that a rule's domain may have. */
#define FIRST_ID 1U
#define END_ID 1024U

/* Large, and needed for one table at a time. */
static struct xeno_rule table[XENO_RULES_MAX];
static uint32_t source[XENO_RULES_MAX];
static struct xeno_rule_counter counters[XENO_RULES_MAX];

/* Adds what the table in force has counted to the totals. */
static int collect(struct rules *r, struct error *err)
{
	if (!r->now.policy || !r->now.policy->in_force)
		return 0;
	if (hv_rules_counters(r->hv, r->now.generation, counters,
			      r->now.policy->in_force, err))
		return -1;
	rule_policy_count(r->now.policy, counters);
	return 0;
}

static void save(struct rules *r)
{
	struct error err;

	if (rule_record_write(r->folder, &r->now, &err))
		log_failure("op=rules.record message=\"%s\"", err.message);
}

/* A table that another has replaced counts no more. */
static void collect_and_save(struct rules *r)
{
	struct error err;

	if (collect(r, &err))
		log_warning("op=rules.counters message=\"%s\"", err.message);
	save(r);
}

static int refused(struct rules *r, const struct rule_policy *p,
		   const struct hv_bad_rule *bad, struct error *err)
{
	unsigned int line = p->rules[source[bad->rule]].given.line;

	r->refused.line = line;
	r->refused.part = bad->too_many ? NULL : rule_part(bad->field);
	if (bad->too_many)
		return error_set(err, ERR_INVALID,
				 "line %u: from this rule to the last there "
				 "are too many that one packet would be "
				 "compared with",
				 line);
	return error_set(err, ERR_INVALID,
			 "line %u: %s is missing or not possible here", line,
			 rule_part(bad->field));
}

/* The table of p becomes the one in force. */
static int replace(struct rules *r, struct rule_policy *p, struct error *err)
{
	uint32_t count = rule_policy_compile(p, table, source);
	struct hv_bad_rule bad;

	if (hv_rules_replace(r->hv, table, count, &r->now.generation, &bad,
			     err))
		return bad.rule < count ? refused(r, p, &bad, err) : -1;
	rule_policy_in_force(p, source, count);
	return 0;
}

int rules_open(struct rules *r, struct hv *hv, const char *folder,
	       struct error *err)
{
	*r = (struct rules){ .hv = hv, .folder = folder };
	if (rule_record_read(folder, &r->now, err))
		return err->code == ERR_NOT_FOUND ? 0 : -1;
	/* The process may have ended between a replacement and its record. */
	if (hv_rules_counters(hv, r->now.generation, counters,
			      r->now.policy->in_force, err)) {
		log_warning("op=rules.adopt message=\"%s\"", err->message);
		rule_policy_in_force(r->now.policy, source, 0);
		r->now.stale = true;
		return 0;
	}
	rule_policy_count(r->now.policy, counters);
	return 0;
}

void rules_close(struct rules *r)
{
	if (!r->now.policy)
		return;
	collect_and_save(r);
	rule_policy_free(r->now.policy);
	r->now.policy = NULL;
}

/* The first id from id on that no domain has; 0: none. */
static uint32_t free_id(struct hv *hv, uint32_t id)
{
	struct hv_domain there[LIST_MAX];
	struct error err;

	while (id < END_ID) {
		int count = hv_domain_list(hv, id, there, LIST_MAX, &err);
		int i = 0;

		if (count < 0)
			return 0;
		while (i < count && there[i].id == id) {
			id++;
			i++;
		}
		if (i < LIST_MAX)
			return id < END_ID ? id : 0;
	}
	return 0;
}

/* Numbers for all names without a domain. false: there are not enough. */
static bool bind_absent(struct rules *r, struct rule_policy *p)
{
	uint32_t id = FIRST_ID;
	const char *name;

	while ((name = rule_policy_unbound(p))) {
		id = free_id(r->hv, id);
		if (!id)
			return false;
		rule_policy_bind(p, name, id++);
	}
	return true;
}

/* Whether all rules together are taken, also while domains are absent. What is
 * in force after that has more rules than the policy, for no domain there is.
 */
static int try_all(struct rules *r, struct rule_policy *p, struct error *err)
{
	if (!rule_policy_unbound(p) || !bind_absent(r, p))
		return 0;
	return replace(r, p, err);
}

int rules_set(struct rules *r, const char *text,
	      void (*bind_all)(void *context, struct rule_policy *p),
	      void *context, struct error *err)
{
	struct rule_policy *p = rule_policy_new(text, err);
	uint64_t generation = r->now.generation;
	int rc;

	r->refused.line = 0;
	if (!p)
		return -1;
	bind_all(context, p);
	rc = try_all(r, p, err);
	if (rc == 0) {
		rule_policy_unbind(p);
		bind_all(context, p);
		rc = replace(r, p, err);
	}
	if (rc && generation == r->now.generation) {
		rule_policy_free(p);
		return -1;
	}
	rule_policy_free(r->now.policy);
	r->now.policy = p;
	r->now.stale = rc != 0;
	save(r);
	return rc;
}

void rules_bind(struct rules *r, const char *name, uint32_t id)
{
	if (r->now.policy && rule_policy_bind(r->now.policy, name, id))
		r->now.stale = true;
}

int rules_install(struct rules *r, struct error *err)
{
	if (!r->now.stale)
		return 0;
	/* Once for a process that ends before the table is replaced or
	 * recorded, and once more for what was counted meanwhile. */
	collect_and_save(r);
	if (collect(r, err))
		log_warning("op=rules.counters message=\"%s\"", err->message);
	if (replace(r, r->now.policy, err)) {
		error_prefix(err, "rules");
		return -1;
	}
	r->now.stale = false;
	save(r);
	return 0;
}

int rules_count(struct rules *r, struct error *err)
{
	return collect(r, err);
}

int rules_print(struct rules *r, struct strbuf *out, struct error *err)
{
	if (!r->now.policy)
		return 0;
	if (collect(r, err))
		return -1;
	for (uint32_t i = 0; i < r->now.policy->count; i++) {
		const struct policy_rule *rule = &r->now.policy->rules[i];

		strbuf_add(out,
			   "rule %u packets=%" PRIu64 " bytes=%" PRIu64
			   " line=%u in_force=%s\n",
			   i + 1, rule->total.packets, rule->total.bytes,
			   rule->given.line,
			   rule->slot == RULE_LEFT_OUT ? "no" : "yes");
	}
	return 0;
}
