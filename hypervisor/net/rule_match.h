/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classifier: finds the first of many rules that a packet matches. Pure.
 *
 * Rules of the same shape, that is with the same bits that matter, are one
 * tuple; in it a packet's rule is found by one hash of those bits. So a look-up
 * costs as many hashes as there are shapes with a rule that is earlier than the
 * best found so far, and not as many steps as there are rules. What cannot be
 * hashed, ranges of ports, is compared one by one among the rules that agree in
 * everything else.
 *
 * Costs are counted in steps: a shape tried or a rule compared is one.
 */
#ifndef NET_RULE_MATCH_H
#define NET_RULE_MATCH_H

#include <hv/types.h>

#define RULE_NONE 0xffffffffU

/* What rules look at, in words: a rule has a value and a mask for each.
 * 0: interface, family, protocol; 1 and 2: source address; 3 and 4: target
 * address; 5: ports, and whether there are any. */
#define MATCH_WORDS 6
#define MATCH_HAS_PORTS (1UL << 32)

struct match_key {
	u64 words[MATCH_WORDS];
};

static inline u64 match_word0(u32 interface, u8 family, u8 protocol)
{
	return (u64)interface << 32 | (u64)family << 8 | protocol;
}

static inline u64 match_word5(u16 source_port, u16 target_port)
{
	return MATCH_HAS_PORTS | (u64)source_port << 16 | target_port;
}

struct match_rule {
	struct match_key value, mask;
	/* Inclusive; only looked at when the key has ports. */
	u16 source_first, source_last, target_first, target_last;
};

struct match_tuple {
	struct match_key mask;
	u32 first_rule; /* the earliest of its rules */
	u32 next, prev; /* in the order of their earliest rules */
	u32 same_slot;  /* while building: the next in the table of shapes */
};

struct match_node {
	struct match_key value;
	u16 source_first, source_last, target_first, target_last;
	u32 rule, tuple;
	u32 next;   /* in its bucket, later rules */
	u32 length; /* of its bucket from here on */
};

struct classifier {
	struct match_tuple *tuples;
	struct match_node *nodes;
	u32 *buckets; /* of nodes; RULE_NONE: empty */
	u32 *shapes;  /* buckets of tuples, for building */
	u32 bucket_mask;
	u32 tuple_count, node_count;
	u32 first_tuple;
	u32 longest; /* bucket */
};

/* Bytes of memory for a classifier of at most that many rules. */
u64 classifier_bytes(u32 rules);
/* memory: classifier_bytes, zeroed or not, aligned to 8. */
void classifier_init(struct classifier *c, void *memory, u32 rules);
/* Rules come in descending order of their numbers. */
void classifier_insert(struct classifier *c, const struct match_rule *m,
		       u32 rule);

/* The lowest number of a rule below `below` that matches, or RULE_NONE. *steps
 * grows by what it took. */
u32 classifier_first(const struct classifier *c, const struct match_key *key,
		     u32 below, u32 *steps) MUST_CHECK;
/* Steps of one look-up at most. */
static inline u32 classifier_steps(const struct classifier *c)
{
	return c->tuple_count * (1 + c->longest);
}

/* Calls fn for every rule below `below` that matches. *steps grows by what it
 * took, a match counted twice. */
void classifier_each(const struct classifier *c, const struct match_key *key,
		     u32 below, void (*fn)(void *ctx, u32 rule), void *ctx,
		     u32 *steps);

#endif
