/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: tariffs published, sources opened, their readings, corrections.
 * Everything is appended, nothing is changed, and each call is all or nothing;
 * within the caller's transaction it is a part of that, so that a domain's last
 * readings and its change of state are one. Nothing is kept in memory between
 * calls.
 *
 * A counter that has not moved need not be read: the next usage then covers the
 * time since. A call repeated because its answer was lost changes nothing, but
 * for an adjustment.
 */
#ifndef ACCOUNTING_LEDGER_H
#define ACCOUNTING_LEDGER_H

#include "store.h"

/* The next version of the tariff. It takes effect after every moment that an
 * account has something of, and after the version before it. */
MUST_CHECK int acct_ledger_publish(struct acct_store *store,
				   const struct acct_tariff *t, int64_t at_ns,
				   struct acct_error *err);

/*
 * A source begins: what it uses from here on is the account's. A counter begins
 * with what it shows, usually 0, a level with its size. Sources of earlier
 * incarnations of the domain that are still open end where they were last
 * read, as ACCT_UNREAD; but not those of incarnation 0, which is what outlives
 * the domain's being built: its volumes.
 */
MUST_CHECK int acct_ledger_open(struct acct_store *store,
				const struct acct_source *s,
				const char *account,
				const struct acct_reading *r,
				struct acct_error *err);

/* Usage since the last reading, in a row for each tariff in force meanwhile.
 * final: there will be no other reading. */
MUST_CHECK int acct_ledger_read(struct acct_store *store,
				const struct acct_source *s,
				const struct acct_reading *r, bool final,
				struct acct_error *err);

/* Ends what is still open of a domain: levels lasted until then; counters, of
 * which nobody read the last value, end with their last reading. */
MUST_CHECK int acct_ledger_close(struct acct_store *store, const char *domain,
				 int64_t at_ns, struct acct_error *err);

/* The same of one incarnation only. */
MUST_CHECK int acct_ledger_end(struct acct_store *store, const char *domain,
			       uint64_t incarnation, int64_t at_ns,
			       struct acct_error *err);

/* The same after a failure of the node, when nobody knows how long it lasted:
 * everything ends with its last reading, and nothing after it is charged. */
MUST_CHECK int acct_ledger_abandon(struct acct_store *store, const char *domain,
				   struct acct_error *err);

/* A credit (negative) or a charge that is not usage. */
struct acct_adjustment {
	const char *account;
	const char *domain; /* or NULL */
	int64_t at_ns;
	int64_t amount_micro;
	uint64_t refers_to; /* the row that it corrects, or 0 */
	const char *note;   /* why, printable */
};

MUST_CHECK int acct_ledger_adjust(struct acct_store *store,
				  const struct acct_adjustment *a,
				  struct acct_error *err);

#endif
