/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the ledger asks of its store: to keep rows and tariffs, to find a few of
 * them, and to make several changes one. It decides nothing.
 *
 * Functions that look for one thing return 1: found, 0: there is none, -1 with
 * err. The others return 0, or -1 with err. A row that is there and makes no
 * sense is ACCT_CORRUPT.
 */
#ifndef ACCOUNTING_STORE_H
#define ACCOUNTING_STORE_H

#include "entry.h"

struct acct_store;

/* The last row; seq 0: there is none, and the hash is what the first one
 * follows on. */
struct acct_head {
	uint64_t seq;
	uint8_t hash[ACCT_HASH_BYTES];
};

/* Usage and adjustments that touch the window, of rows up to last_seq; NULL:
 * of every account, of every domain. */
struct acct_query {
	const char *account;
	const char *domain;
	struct acct_window window;
	uint64_t last_seq;
};

struct acct_price_at {
	uint32_t version; /* 0: no tariff is in force */
	struct acct_price price;
	int64_t until_ns; /* the next takes effect; ACCT_TIME_MAX: none yet */
};

/* Returns 0 to go on, else what select shall return. May not use the store. */
typedef int (*acct_entry_seen)(void *context, const struct acct_entry *e,
			       struct acct_error *err);

struct acct_store_ops {
	/* All or nothing; within a transaction of the caller's, a part of it.
	 * They do not nest otherwise. */
	int (*begin)(struct acct_store *, struct acct_error *err);
	int (*commit)(struct acct_store *, struct acct_error *err);
	void (*rollback)(struct acct_store *);

	int (*head)(struct acct_store *, struct acct_head *out,
		    struct acct_error *err);
	int (*append)(struct acct_store *, const struct acct_entry *e,
		      struct acct_error *err);
	/* The first row of a seq above that one. */
	int (*next)(struct acct_store *, uint64_t seq, struct acct_entry *out,
		    struct acct_error *err);
	/* The source's last row of a seq below that one. */
	int (*last_of)(struct acct_store *, const struct acct_source *s,
		       uint64_t before_seq, struct acct_entry *out,
		       struct acct_error *err);
	/* In order of incarnation, meter, device: the first source of the
	 * domain that was ever opened, after that one. */
	int (*next_source)(struct acct_store *, const struct acct_source *after,
			   struct acct_source *out, struct acct_error *err);
	/* The newest incarnation of a domain. */
	int (*newest)(struct acct_store *, const char *domain, uint64_t *out,
		      struct acct_error *err);
	/* Usage first, by domain, incarnation, meter, device and seq. */
	int (*select)(struct acct_store *, const struct acct_query *q,
		      acct_entry_seen seen, void *context,
		      struct acct_error *err);
	/* The latest moment of any row that has an account; 0: none. */
	int (*latest_ns)(struct acct_store *, int64_t *out,
			 struct acct_error *err);

	int (*put_tariff)(struct acct_store *, const struct acct_tariff *t,
			  struct acct_error *err);
	/* version 0: the newest. If it is corrupt, out has its version all the
	 * same. */
	int (*get_tariff)(struct acct_store *, uint32_t version,
			  struct acct_tariff *out, struct acct_error *err);
	int (*price_at)(struct acct_store *, enum acct_meter meter,
			int64_t at_ns, struct acct_price_at *out,
			struct acct_error *err);
};

struct acct_store {
	const struct acct_store_ops *ops;
	struct acct_ledger_info info;
};

#endif
