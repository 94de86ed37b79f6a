// SPDX-License-Identifier: Apache-2.0
/* See admission.h. Sums do not wrap: at the top they stay. */
#include "admission/admission.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PAGE_BYTES 4096ULL
#define DISK_UNIT_BYTES 512ULL

/* The largest that the store can keep. */
#define MOST ((uint64_t)INT64_MAX)

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) || sum > MOST ? MOST : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) || product > MOST
		       ? MOST
		       : product;
}

static uint64_t left(const struct inequality *q)
{
	return q->claimed < q->limit ? q->limit - q->claimed : 0;
}

static uint64_t disks_bytes(const struct domain_spec *s)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < s->disk_count; i++)
		if (!*s->disks[i].volume)
			sum = add(sum, s->disks[i].size_bytes);
	return sum;
}

/* What a request of a field of the domain could be at most. */
static uint64_t nearest(const struct inequality *q, enum resource r,
			const struct capacity *c, const struct domain_spec *s)
{
	uint64_t rest = left(q), most;

	switch (r) {
	case RESOURCE_MEMORY:
		if (rest < add(c->domain_overhead_bytes, SPEC_MEMORY_LEAST))
			return 0;
		return (rest - c->domain_overhead_bytes) & ~(PAGE_BYTES - 1);
	case RESOURCE_CPU:
		most = s->vcpus * 1000ULL;
		return rest < most ? rest : most;
	default:
		return rest & ~(DISK_UNIT_BYTES - 1);
	}
}

/* s: whose memory and CPU it is about; NULL: nobody's. */
static void judge(struct admission *out, const struct verdict *v,
		  const struct capacity *c, const struct domain_spec *s)
{
	memset(out, 0, sizeof(*out));
	out->admitted = true;
	out->verdict = *v;
	for (unsigned int i = 0; i < RESOURCES; i++) {
		const struct inequality *q = &v->list[i];

		/* Who asks for nothing of it lacks nothing. */
		if (!q->requested || q->requested <= left(q))
			continue;
		out->admitted = false;
		out->lacks[i] = true;
		out->shortfall[i] = q->requested - left(q);
		out->nearest[i] = nearest(q, i, c, s);
	}
}

void admission_decide(struct admission *out, const struct capacity *c,
		      const struct claims *claims, const struct domain_spec *s)
{
	struct verdict v = {
		.list = {
			[RESOURCE_MEMORY] = {
				add(claims->memory_bytes,
				    multiply(claims->domains,
					     c->domain_overhead_bytes)),
				add(s->memory_bytes, c->domain_overhead_bytes),
				c->memory_bytes,
			},
			[RESOURCE_CPU] = {
				claims->cpu_permille,
				s->cpu_reservation_permille,
				c->cpu_permille,
			},
			[RESOURCE_POOL] = {
				claims->pool_bytes,
				disks_bytes(s),
				c->pool_bytes,
			},
		},
	};

	judge(out, &v, c, s);
}

void admission_decide_volume(struct admission *out, const struct capacity *c,
			     const struct claims *claims, uint64_t bytes)
{
	struct verdict v = { .list = { [RESOURCE_POOL] = { claims->pool_bytes,
							   bytes,
							   c->pool_bytes } } };

	judge(out, &v, c, NULL);
}

static const struct {
	const char *word, *field, *unit;
} resources[RESOURCES] = {
	[RESOURCE_MEMORY] = { "memory", "memory_bytes", "bytes of memory" },
	[RESOURCE_CPU] = { "cpu", "cpu_reservation_permille",
			   "thousandths of a CPU" },
	[RESOURCE_POOL] = { "pool", "disks", "bytes of the pool" },
};

const char *resource_word(enum resource r)
{
	return resources[r].word;
}

const char *resource_field(enum resource r)
{
	return resources[r].field;
}

void inequality_text(char *out, size_t size, enum resource r,
		     const struct inequality *q)
{
	snprintf(out, size, "%s: %" PRIu64 " + %" PRIu64 " %s %" PRIu64,
		 resources[r].word, q->claimed, q->requested,
		 add(q->claimed, q->requested) <= q->limit ? "<=" : ">",
		 q->limit);
}

void admission_refusal_text(char *out, size_t size, const struct admission *a)
{
	size_t length = 0;

	*out = '\0';
	for (unsigned int i = 0; i < RESOURCES && length < size; i++) {
		const struct inequality *q = &a->verdict.list[i];

		if (!a->lacks[i])
			continue;
		length += (size_t)snprintf(
			out + length, size - length,
			"%s%" PRIu64 " %s are asked for, %" PRIu64
			" of %" PRIu64 " are left: %" PRIu64 " short; %" PRIu64
			" would fit",
			length ? ". " : "", q->requested, resources[i].unit,
			left(q), q->limit, a->shortfall[i], a->nearest[i]);
	}
}
