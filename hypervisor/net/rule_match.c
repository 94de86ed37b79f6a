// SPDX-License-Identifier: Apache-2.0
/*
 * Tuple space search (contract in rule_match.h). All tuples share one array of
 * buckets. Because rules are inserted from the last to the first, putting each
 * at the head of its bucket, and its tuple at the head of the list of tuples,
 * leaves both in ascending order of rules: a search ends where only later ones
 * follow.
 */
#include "rule_match.h"

static u32 buckets_for(u32 rules)
{
	u32 n = 4;

	while (n < rules * 2)
		n *= 2;
	return n;
}

u64 classifier_bytes(u32 rules)
{
	return (u64)rules * (sizeof(struct match_tuple) +
			     sizeof(struct match_node)) +
	       2UL * buckets_for(rules) * sizeof(u32);
}

void classifier_init(struct classifier *c, void *memory, u32 rules)
{
	u32 buckets = buckets_for(rules);

	c->tuples = memory;
	c->nodes = (struct match_node *)(c->tuples + rules);
	c->buckets = (u32 *)(c->nodes + rules);
	c->shapes = c->buckets + buckets;
	c->bucket_mask = buckets - 1;
	c->tuple_count = c->node_count = 0;
	c->first_tuple = RULE_NONE;
	c->longest = 0;
	for (u32 i = 0; i < 2 * buckets; i++)
		c->buckets[i] = RULE_NONE;
}

static u32 hash(const struct match_key *k, const struct match_key *mask,
		u64 seed)
{
	u64 h = seed;

	for (int i = 0; i < MATCH_WORDS; i++) {
		h = (h ^ (k->words[i] & mask->words[i])) * 0x9e3779b97f4a7c15UL;
		h ^= h >> 29;
	}
	return (u32)(h ^ h >> 32);
}

static bool same(const struct match_key *a, const struct match_key *b)
{
	u64 differ = 0;

	for (int i = 0; i < MATCH_WORDS; i++)
		differ |= a->words[i] ^ b->words[i];
	return !differ;
}

/* The tuple of that shape, made if there is none. */
static u32 tuple_of(struct classifier *c, const struct match_key *mask)
{
	u32 *slot = &c->shapes[hash(mask, mask, 0) & c->bucket_mask];
	u32 t;

	for (t = *slot; t != RULE_NONE; t = c->tuples[t].same_slot)
		if (same(&c->tuples[t].mask, mask))
			return t;
	t = c->tuple_count++;
	c->tuples[t].mask = *mask;
	c->tuples[t].same_slot = *slot;
	c->tuples[t].first_rule = RULE_NONE;
	*slot = t;
	return t;
}

/* Its newest rule is the earliest of all so far. */
static void move_to_front(struct classifier *c, u32 t, bool listed)
{
	struct match_tuple *tuple = &c->tuples[t];

	if (c->first_tuple == t)
		return;
	if (listed) {
		c->tuples[tuple->prev].next = tuple->next;
		if (tuple->next != RULE_NONE)
			c->tuples[tuple->next].prev = tuple->prev;
	}
	tuple->prev = RULE_NONE;
	tuple->next = c->first_tuple;
	if (tuple->next != RULE_NONE)
		c->tuples[tuple->next].prev = t;
	c->first_tuple = t;
}

void classifier_insert(struct classifier *c, const struct match_rule *m,
		       u32 rule)
{
	u32 t = tuple_of(c, &m->mask);
	struct match_tuple *tuple = &c->tuples[t];
	u32 *bucket =
		&c->buckets[hash(&m->value, &m->mask, t) & c->bucket_mask];
	struct match_node *n = &c->nodes[c->node_count];

	move_to_front(c, t, tuple->first_rule != RULE_NONE);
	tuple->first_rule = rule;
	for (int i = 0; i < MATCH_WORDS; i++)
		n->value.words[i] = m->value.words[i] & m->mask.words[i];
	n->source_first = m->source_first;
	n->source_last = m->source_last;
	n->target_first = m->target_first;
	n->target_last = m->target_last;
	n->rule = rule;
	n->tuple = t;
	n->next = *bucket;
	n->length = 1 + (n->next == RULE_NONE ? 0 : c->nodes[n->next].length);
	c->longest = MAX(c->longest, n->length);
	*bucket = c->node_count++;
}

static bool node_matches(const struct match_node *n,
			 const struct match_key *mask,
			 const struct match_key *key)
{
	u64 ports = key->words[5], differ = 0;
	u16 source = (u16)(ports >> 16), target = (u16)ports;

	for (int i = 0; i < MATCH_WORDS; i++)
		differ |= (key->words[i] & mask->words[i]) ^ n->value.words[i];
	if (differ)
		return false;
	return !(ports & MATCH_HAS_PORTS) ||
	       (source >= n->source_first && source <= n->source_last &&
		target >= n->target_first && target <= n->target_last);
}

u32 classifier_first(const struct classifier *c, const struct match_key *key,
		     u32 below, u32 *steps)
{
	u32 best = below;

	for (u32 t = c->first_tuple; t != RULE_NONE; t = c->tuples[t].next) {
		const struct match_tuple *tuple = &c->tuples[t];
		u32 i;

		if (tuple->first_rule >= best)
			break;
		++*steps;
		i = c->buckets[hash(key, &tuple->mask, t) & c->bucket_mask];
		for (; i != RULE_NONE && c->nodes[i].rule < best;
		     i = c->nodes[i].next) {
			++*steps;
			if (c->nodes[i].tuple == t &&
			    node_matches(&c->nodes[i], &tuple->mask, key)) {
				best = c->nodes[i].rule;
				break;
			}
		}
	}
	return best == below ? RULE_NONE : best;
}

void classifier_each(const struct classifier *c, const struct match_key *key,
		     u32 below, void (*fn)(void *ctx, u32 rule), void *ctx,
		     u32 *steps)
{
	for (u32 t = c->first_tuple; t != RULE_NONE; t = c->tuples[t].next) {
		const struct match_tuple *tuple = &c->tuples[t];
		u32 i;

		if (tuple->first_rule >= below)
			break;
		++*steps;
		i = c->buckets[hash(key, &tuple->mask, t) & c->bucket_mask];
		for (; i != RULE_NONE && c->nodes[i].rule < below;
		     i = c->nodes[i].next) {
			++*steps;
			if (c->nodes[i].tuple == t &&
			    node_matches(&c->nodes[i], &tuple->mask, key)) {
				++*steps;
				fn(ctx, c->nodes[i].rule);
			}
		}
	}
}
