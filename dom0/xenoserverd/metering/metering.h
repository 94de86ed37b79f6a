/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What domains use goes into the ledger. The machine's counters are absolute,
 * so whenever they are read, nothing is lost and nothing counted twice; what
 * has to be in one transaction with a domain's state is its first reading and
 * its last. Times are the machine's clock, laid on the calendar once in a life
 * of the machine: durations never depend on the calendar's clock.
 *
 * A run is from a domain's building to its end: an incarnation, with a source
 * for each counter, and its memory. Its volumes are of incarnation 0, from
 * their making to their removal.
 *
 * One thread, the worker's, with its handle of the store.
 */
#ifndef METERING_METERING_H
#define METERING_METERING_H

#include "orchestrate/machine.h"
#include "store/db.h"

struct metering;

/* Makes the ledger if there is none (see store/ledger.h). If the machine was
 * started anew since the meters were read last, then everything ends there, and
 * volumes begin again now. Not within a transaction. */
int metering_open(struct metering **out, struct db *db, struct machine *machine,
		  const char *currency, struct error *err);
/* NULL: nothing. */
void metering_close(struct metering *m);

/* Reads a domain's meters for the next transaction that changes its state, from
 * outside of it; whether there are any, is seen there. */
int metering_sample(struct metering *m, const char *handle, struct error *err);

/* Into the open transaction. */

/* The domain has its state of *d, and had another one: opens the sources of
 * one that runs now, at its building; ends those of one that does not any
 * more, with the sample; ends everything of one that is no more. */
int metering_follow(struct metering *m, const struct domain *d,
		    enum domain_state from, struct error *err);
/* Its volumes are there. */
int metering_volumes(struct metering *m, const struct domain *d,
		     struct error *err);
/* What the sample is of has ended: opened, if nobody has heard of it, and
 * ended. */
int metering_settle(struct metering *m, const struct domain *d,
		    struct error *err);

/* Transactions of their own. */

/* Reads all meters. Counters that have not moved are not written, and levels
 * only once an hour. */
int metering_collect(struct metering *m, struct error *err);
/* Reads those of an account, or of one domain; levels too. The other is NULL.
 */
int metering_refresh(struct metering *m, const char *account,
		     const char *domain_id, struct error *err);

#endif
