/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps the hypervisor's table of rules equal to the policy that was given
 * last: made anew whenever a domain that a rule names comes or goes, recorded
 * for a later process, with totals that go on over all that.
 *
 * A domain is bound to its name before it first runs and until its interfaces
 * are gone. While a table could not be replaced no domain may start, so that
 * none meets rules that are not its own.
 *
 * Without a policy, which is so until one was given, nothing is asked of the
 * hypervisor. What packets count between the last reading of a table's counters
 * and its replacement, a moment later, is not in the totals.
 */
#ifndef SERVE_RULES_H
#define SERVE_RULES_H

#include "hv/hv.h"
#include "serve/rule_record.h"
#include "util/strbuf.h"

struct rules {
	struct hv *hv;
	const char *folder; /* of records */
	struct rule_record now;
	/* Of the last rules_set that failed: the line, and what of it; line 0:
	 * there was another reason; part NULL: too many from that one on. */
	struct {
		unsigned int line;
		const char *part;
	} refused;
};

/* From what an earlier process has left; a record that makes no sense is an
 * error, and leaves no policy. */
int rules_open(struct rules *r, struct hv *hv, const char *folder,
	       struct error *err);
/* Records the totals. */
void rules_close(struct rules *r);

/*
 * A new policy, which counts from 0. It is put in force once as if all domains
 * that it names were there, under numbers that no domain has: what would be
 * refused when they come is refused now. After an error about a rule the
 * message names its line, and the old policy stays. bind_all binds the domains
 * that there are.
 */
int rules_set(struct rules *r, const char *text,
	      void (*bind_all)(void *context, struct rule_policy *p),
	      void *context, struct error *err);

/* The domain of that name has this id, or RULE_NO_DOMAIN: known, but not yet
 * in force. */
void rules_bind(struct rules *r, const char *name, uint32_t id);
/* Puts in force what is not. */
int rules_install(struct rules *r, struct error *err);

/* Brings the totals of the policy up to date. */
int rules_count(struct rules *r, struct error *err);
/* A line for each rule, with its total. */
int rules_print(struct rules *r, struct strbuf *out, struct error *err);

#endif
