/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what was asked for: one thread, the worker, takes operations in the
 * order in which they were written down, enters each act into the journal
 * before it acts, and commits what came of it together with the event that
 * tells of it. Whatever moment this process ends at, the next one finds in the
 * store what was asked for and in the machine what was done, and goes on.
 *
 * A node that stops lets no domain start, asks all that run to shut down, and
 * ends those that do not. What ran then, or when the power went, is started
 * again after the node's next start.
 */
#ifndef ORCHESTRATE_ORCHESTRATION_H
#define ORCHESTRATE_ORCHESTRATION_H

#include "orchestrate/machine.h"

struct orchestration;

struct orchestration_options {
	const char *store_path;
	struct machine *machine;
	/* What the node keeps of its memory and CPUs for itself. */
	uint64_t node_memory_bytes;
	uint32_t node_cpu_permille;
	uint64_t domain_overhead_bytes;
	/* Of the ledger; NULL: EUR, or what it is in. */
	const char *currency;
	/* How often all meters are read; 0: each minute. How old a reading may
	 * be that answers who asks for one. */
	int64_t meter_interval_ms, meter_age_ms;
	/* How long a guest may take to end when it is asked to. */
	int64_t end_timeout_ms;
	/* After each commit of the worker, from its thread; NULL: nobody. */
	void (*changed)(void *context);
	void *changed_context;
	/* The node was asked to stop, and no domain is up any more; from the
	 * worker's thread, which ends with that. NULL: nobody. */
	void (*stopped)(void *context);
	void *stopped_context;
};

/* Reconciles the store with the machine, then starts the worker. */
int orchestration_open(struct orchestration **out,
		       const struct orchestration_options *options,
		       struct error *err);
/* After the act at hand; NULL: nothing. */
void orchestration_close(struct orchestration *o);

/* From any thread, after a transaction with a new operation. */
void orchestration_wake(struct orchestration *o);

struct rule_keeper;

/* See orchestrate/rules.h. */
struct rule_keeper *orchestration_rules(struct orchestration *o);

struct orchestration_status {
	bool healthy; /* machine and store answer the worker */
	struct machine_node node;
	struct capacity capacity;
};

void orchestration_status(struct orchestration *o,
			  struct orchestration_status *out);

/* Whether the meters of an account or of a domain (the other is NULL) were read
 * after that moment of the monotonic clock, or not long before it. If not they
 * will be, and changed says so. */
bool orchestration_refresh(struct orchestration *o, const char *account,
			   const char *domain_id, int64_t since_ms);

#endif
