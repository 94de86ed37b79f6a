// SPDX-License-Identifier: Apache-2.0
/*
 * The rules in force (contract in rule_table.h). A table is one block of
 * memory, never changed but for its counters once it is published. It is built
 * in steps, so that thousands of rules do not keep interrupts off: each step is
 * one run of the hypercall, which goes on where the last one stopped as long as
 * it is asked for the same.
 */
#include "rule_table.h"

#include <hv/errno.h>
#include <hv/guest_access.h>
#include <hv/mm.h>
#include <hv/net.h>
#include <hv/string.h>

#include "switch.h"

/* Rules read, or put into the table, in one step. */
#define STEP_RULES 128U
/* Counters copied out at a time. */
#define COPY_COUNTERS 32U

struct rule_table {
	u64 generation;
	u32 count;
	u32 order; /* of the block */
	struct classifier decide, counting;
	struct xeno_rule_counter *counters;
	struct rule_verdict *verdicts;
};

/* The table in force; NULL: no rules. Read inside the read lock. */
static struct rule_table *current_table;
/* The rest: control lock. */
static u64 generation;

static struct {
	u64 rules_va;
	u32 count;
	u32 checked;   /* copied and found right */
	u32 to_insert; /* from the last one down */
	u32 counting;  /* how many of them are COUNT */
	u32 order;
	struct xeno_rule *rules; /* NULL: nothing is being built */
	struct rule_table *table;
	bool table_ready; /* its parts are laid out */
} staging;

static u32 order_for(u64 bytes)
{
	u32 order = 0;

	while ((PAGE_SIZE << order) < bytes)
		order++;
	return order;
}

static void *block_alloc(u32 order)
{
	struct frame *f = frame_alloc(order);

	return f ? mfn_to_virt(frame_mfn(f)) : NULL;
}

static void block_free(void *block, u32 order)
{
	frame_free(frame_of_mfn(virt_to_mfn(block)), order);
}

static void staging_drop(void)
{
	if (staging.rules)
		block_free(staging.rules, staging.order);
	if (staging.table)
		block_free(staging.table, staging.table->order);
	memset(&staging, 0, sizeof(staging));
}

static int staging_begin(const struct xeno_rules_replace *op)
{
	staging_drop();
	staging.order = order_for(op->count * sizeof(struct xeno_rule));
	staging.rules = block_alloc(staging.order);
	if (!staging.rules)
		return -ENOMEM;
	staging.rules_va = op->rules;
	staging.count = op->count;
	return 0;
}

/* Copies some rules and checks the copies. 1: a bad one, told in op. */
static int staging_check(struct xeno_rules_replace *op)
{
	u32 from = staging.checked;
	u32 n = MIN(staging.count - from, STEP_RULES);
	struct match_rule ignored;

	if (guest_copy_in(staging.rules + from,
			  op->rules + from * sizeof(struct xeno_rule),
			  n * sizeof(struct xeno_rule)))
		return -EFAULT;
	for (u32 i = from; i < from + n; i++) {
		if (rule_compile(&staging.rules[i], &ignored, &op->bad_field)) {
			op->bad_rule = i;
			return 1;
		}
		if (staging.rules[i].action == XENO_RULE_COUNT)
			staging.counting++;
	}
	staging.checked += n;
	return 0;
}

/* A step of its own each: the block is zeroed, the classifiers have tables. */
static int staging_table(void)
{
	u32 count = staging.count, counting = staging.counting;
	u64 head = ALIGN_UP(sizeof(struct rule_table), 16);
	u64 counters = count * sizeof(struct xeno_rule_counter);
	u64 verdicts = count * sizeof(struct rule_verdict);
	u64 decide = ALIGN_UP(classifier_bytes(count - counting), 16);
	u64 bytes = head + counters + verdicts + decide +
		    classifier_bytes(counting);
	u32 order = order_for(bytes);
	struct rule_table *t = staging.table;
	u8 *at;

	if (!t) {
		t = block_alloc(order);
		if (!t)
			return -ENOMEM;
		t->order = order;
		staging.table = t;
		return 0;
	}
	t->count = count;
	at = (u8 *)t + head;
	t->counters = (struct xeno_rule_counter *)at;
	at += counters;
	t->verdicts = (struct rule_verdict *)at;
	at += verdicts;
	classifier_init(&t->decide, at, count - counting);
	classifier_init(&t->counting, at + decide, counting);
	staging.to_insert = count;
	staging.table_ready = true;
	return 0;
}

static void insert(struct rule_table *t, u32 i)
{
	const struct xeno_rule *r = &staging.rules[i];
	struct rule_verdict *v = &t->verdicts[i];
	struct match_rule m;
	u32 unused;

	/* Has been compiled before, from the same copy. */
	if (rule_compile(r, &m, &unused))
		return;
	v->action = r->action;
	v->redirect.domain_id = (u16)r->redirect_domain_id;
	v->redirect.vif = r->redirect_vif;
	v->redirect.port = r->redirect_port;
	memcpy(v->redirect.address.bytes, r->redirect_address,
	       r->family == 4 ? 4 : 16);
	classifier_insert(r->action == XENO_RULE_COUNT ? &t->counting
						       : &t->decide,
			  &m, i);
}

/* Of one decision, at most. */
static u32 table_steps(const struct rule_table *t)
{
	return classifier_steps(&t->decide) +
	       2 * classifier_steps(&t->counting);
}

/* Puts some rules into the table, from the last one down. 1: with this one a
 * decision may take too long; told in op. */
static int staging_insert(struct xeno_rules_replace *op)
{
	struct rule_table *t = staging.table;

	for (u32 n = 0; n < STEP_RULES && staging.to_insert; n++) {
		insert(t, --staging.to_insert);
		if (table_steps(t) > RULE_STEPS_MAX) {
			op->bad_rule = staging.to_insert;
			return 1;
		}
	}
	return 0;
}

/* No new table: why is told with the result 0. */
static int refuse(struct xeno_rules_replace *op, int why)
{
	staging_drop();
	op->status = why;
	op->generation = generation;
	return 0;
}

/* Publishes t, NULL for no rules; nobody uses the old one afterwards. */
static void publish(struct rule_table *t)
{
	struct rule_table *old = current_table;

	generation++;
	if (t)
		t->generation = generation;
	__atomic_store_n(&current_table, t, __ATOMIC_RELEASE);
	net_synchronize();
	if (old)
		block_free(old, old->order);
}

int net_rules_replace(struct xeno_rules_replace *op)
{
	int err;

	if (op->mbz || op->count > XENO_RULES_MAX)
		return -EINVAL;
	op->status = 0;
	op->pad = 0;
	op->bad_rule = op->bad_field = 0;
	if (!op->count) {
		staging_drop();
		publish(NULL);
		op->generation = generation;
		return 0;
	}
	if (!staging.rules || staging.rules_va != op->rules ||
	    staging.count != op->count) {
		err = staging_begin(op);
		if (err)
			return err;
	}
	if (staging.checked < staging.count) {
		err = staging_check(op);
		if (!err)
			return -ERESTART;
		if (err > 0)
			return refuse(op, -EINVAL);
		staging_drop();
		return err;
	}
	if (!staging.table_ready) {
		err = staging_table();
		if (!err)
			return -ERESTART;
		staging_drop();
		return err;
	}
	if (staging_insert(op))
		return refuse(op, -E2BIG);
	if (staging.to_insert)
		return -ERESTART;
	publish(staging.table);
	staging.table = NULL;
	staging_drop();
	op->generation = generation;
	return 0;
}

int net_rules_counters(const struct xeno_rules_counters *op)
{
	const struct rule_table *t = current_table;
	u32 count = t ? t->count : 0;
	struct xeno_rule_counter c[COPY_COUNTERS];

	if (op->generation != generation)
		return -EAGAIN;
	if (op->first > count || op->count > count - op->first)
		return -EINVAL;
	for (u32 i = 0, n; i < op->count; i += n) {
		n = MIN(op->count - i, COPY_COUNTERS);
		for (u32 j = 0; j < n; j++) {
			const struct xeno_rule_counter *from =
				&t->counters[op->first + i + j];

			c[j].packets = READ_ONCE(from->packets);
			c[j].bytes = READ_ONCE(from->bytes);
		}
		if (guest_copy_out(op->counters + i * sizeof(*c), c,
				   n * sizeof(*c)))
			return -EFAULT;
	}
	return 0;
}

/* ---- look-ups ---- */

struct count_context {
	struct rule_table *table;
	u32 bytes;
};

static void count_one(void *ctx, u32 rule)
{
	struct count_context *c = ctx;
	struct xeno_rule_counter *counter = &c->table->counters[rule];

	__atomic_fetch_add(&counter->packets, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counter->bytes, c->bytes, __ATOMIC_RELAXED);
}

const struct rule_verdict *rules_decide(const struct packet_key *k,
					u32 interface, bool to, u32 bytes)
{
	struct rule_table *t =
		__atomic_load_n(&current_table, __ATOMIC_ACQUIRE);
	struct count_context c = { t, bytes };
	struct match_key key;
	u32 rule, steps = 0;

	if (!t)
		return NULL;
	rule_key(k, interface, to, &key);
	rule = classifier_first(&t->decide, &key, RULE_NONE, &steps);
	classifier_each(&t->counting, &key, rule, count_one, &c, &steps);
	net_spend(steps);
	if (rule == RULE_NONE)
		return NULL;
	count_one(&c, rule);
	return &t->verdicts[rule];
}
