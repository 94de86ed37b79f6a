// SPDX-License-Identifier: Apache-2.0
/* See rule_policy.h. */
#include "network/rule_policy.h"

#include <stdlib.h>
#include <string.h>

struct rule_policy *rule_policy_new(const char *text, struct error *err)
{
	struct given_rule *given = calloc(XENO_RULES_MAX, sizeof(*given));
	struct rule_policy *p = calloc(1, sizeof(*p));

	if (p)
		p->text = strdup(text);
	if (!given || !p || !p->text) {
		error_fill(err, ERR_SYSTEM, "no memory");
		goto fail;
	}
	if (rules_parse(given, XENO_RULES_MAX, &p->count, text, err))
		goto fail;
	/* One more: none at all is no failure. */
	p->rules = calloc(p->count + 1, sizeof(*p->rules));
	if (!p->rules) {
		error_fill(err, ERR_SYSTEM, "no memory");
		goto fail;
	}
	for (uint32_t i = 0; i < p->count; i++)
		p->rules[i] = (struct policy_rule){
			.given = given[i],
			.domain_id = RULE_NO_DOMAIN,
			.redirect_id = RULE_NO_DOMAIN,
			.slot = RULE_LEFT_OUT,
		};
	free(given);
	return p;
fail:
	free(given);
	rule_policy_free(p);
	return NULL;
}

void rule_policy_free(struct rule_policy *p)
{
	if (!p)
		return;
	free(p->rules);
	free(p->text);
	free(p);
}

static bool bind_one(const char *of_rule, uint32_t *id_of_rule,
		     const char *name, uint32_t id)
{
	if (*id_of_rule == id || strcmp(of_rule, name) != 0)
		return false;
	*id_of_rule = id;
	return true;
}

bool rule_policy_bind(struct rule_policy *p, const char *name, uint32_t id)
{
	bool changed = false;

	for (uint32_t i = 0; i < p->count; i++) {
		struct policy_rule *r = &p->rules[i];

		changed |= bind_one(r->given.name, &r->domain_id, name, id);
		changed |= bind_one(r->given.redirect_name, &r->redirect_id,
				    name, id);
	}
	return changed;
}

void rule_policy_unbind(struct rule_policy *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		p->rules[i].domain_id = p->rules[i].redirect_id =
			RULE_NO_DOMAIN;
}

static bool is_unbound(const char *name, uint32_t id)
{
	return *name && id == RULE_NO_DOMAIN;
}

const char *rule_policy_unbound(const struct rule_policy *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct policy_rule *r = &p->rules[i];

		if (is_unbound(r->given.name, r->domain_id))
			return r->given.name;
		if (is_unbound(r->given.redirect_name, r->redirect_id))
			return r->given.redirect_name;
	}
	return NULL;
}

uint32_t rule_policy_compile(const struct rule_policy *p,
			     struct xeno_rule *table, uint32_t *source)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		const struct policy_rule *r = &p->rules[i];
		struct xeno_rule *out = &table[count];

		if (is_unbound(r->given.name, r->domain_id) ||
		    is_unbound(r->given.redirect_name, r->redirect_id))
			continue;
		*out = r->given.rule;
		if (*r->given.name)
			out->domain_id = r->domain_id;
		if (*r->given.redirect_name)
			out->redirect_domain_id = r->redirect_id;
		source[count++] = i;
	}
	return count;
}

void rule_policy_in_force(struct rule_policy *p, const uint32_t *source,
			  uint32_t count)
{
	for (uint32_t i = 0; i < p->count; i++) {
		p->rules[i].slot = RULE_LEFT_OUT;
		p->rules[i].seen = (struct xeno_rule_counter){ 0, 0 };
	}
	for (uint32_t i = 0; i < count; i++)
		p->rules[source[i]].slot = i;
	p->in_force = count;
}

void rule_policy_count(struct rule_policy *p,
		       const struct xeno_rule_counter *now)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct policy_rule *r = &p->rules[i];

		if (r->slot == RULE_LEFT_OUT)
			continue;
		r->total.packets += now[r->slot].packets - r->seen.packets;
		r->total.bytes += now[r->slot].bytes - r->seen.bytes;
		r->seen = now[r->slot];
	}
}
