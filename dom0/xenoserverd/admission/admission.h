/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a domain may be let in: for each resource, what is claimed already
 * and what it requests must not be more than the limit. Pure: claims and
 * capacity are the caller's, who has to look them up and to act on the answer
 * in one transaction.
 *
 * A domain claims from its creation to its deletion, whether it runs or not: so
 * what was accepted can always be started.
 */
#ifndef ADMISSION_ADMISSION_H
#define ADMISSION_ADMISSION_H

#include <stdbool.h>
#include <stddef.h>

#include "model/domain.h"

/* What there is for domains, beyond what the node keeps for itself. */
struct capacity {
	uint64_t memory_bytes;
	/* Of tables and pages that a domain costs besides its own memory. */
	uint64_t domain_overhead_bytes;
	uint64_t cpu_permille;
	uint64_t pool_bytes;
};

struct admission {
	bool admitted;
	struct verdict verdict; /* what was compared, of every resource */
	/* For each that is short: how much, and the most that would fit in the
	 * unit of the request: 0 if nothing would. */
	bool lacks[RESOURCES];
	uint64_t shortfall[RESOURCES], nearest[RESOURCES];
};

/* claims: all others'. */
void admission_decide(struct admission *out, const struct capacity *c,
		      const struct claims *claims, const struct domain_spec *s);

/* The same for a volume, which needs room in the pool only. */
void admission_decide_volume(struct admission *out, const struct capacity *c,
			     const struct claims *claims, uint64_t bytes);

const char *resource_word(enum resource r);
/* The field of a request that asks for it. */
const char *resource_field(enum resource r);
/* "memory: 1048576 + 4096 <= 2097152", or with > for one that does not hold. */
void inequality_text(char *out, size_t size, enum resource r,
		     const struct inequality *q);
/* What is short, by how much, what would fit: of all that lack. */
void admission_refusal_text(char *out, size_t size, const struct admission *a);

#endif
