/* SPDX-License-Identifier: Apache-2.0 */
/* The sources of a domain and what they show; their rows in the ledger. */
#ifndef METERING_SOURCES_H
#define METERING_SOURCES_H

#include "accounting/ledger.h"
#include "orchestrate/machine.h"

/* vCPUs, memory, four counters of each disk, two of each interface. */
#define SHOWN_MAX                                                              \
	(CONFIG_VCPUS_MAX + 1 + 4 * CONFIG_DISKS_MAX + 2 * CONFIG_VIFS_MAX)

struct shown {
	enum acct_meter meter;
	uint32_t device;
	uint64_t value;
};

struct shown_list {
	unsigned int count;
	struct shown list[SHOWN_MAX];
};

/* Of a run: by the domain's specification, with the values of its meters (NULL:
 * as if it had used nothing). */
void shown_by_run(const struct domain *d, const struct machine_meters *m,
		  struct shown_list *out);
/* Of its volumes. */
void shown_by_volumes(const struct domain *d, struct shown_list *out);

struct source_scope {
	struct acct_store *ledger;
	const struct domain *domain;
	uint64_t incarnation;
};

/* Opens it, unless it is open. A counter begins at 0, a level with its size. A
 * source that was ended before goes on where it ended, if that is asked. */
int source_open(const struct source_scope *scope, const struct shown *s,
		int64_t at_ns, bool go_on, struct acct_error *err);

struct source_reading {
	int64_t at_ns;
	int64_t since_ns; /* when the one before was taken, of any source */
	int64_t level_since_ns; /* a level read after that is not read again */
	bool final;
};

/* What has not moved is not written, unless it is final. One that was never
 * opened is, since the reading before. */
int source_read(const struct source_scope *scope, const struct shown *s,
		const struct source_reading *r, struct acct_error *err);

#endif
