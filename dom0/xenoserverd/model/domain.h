/* SPDX-License-Identifier: Apache-2.0 */
/* A domain as the node knows it, what is being done to it, and why it was let
 * in. */
#ifndef MODEL_DOMAIN_H
#define MODEL_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain_spec.h"
#include "model/domain_state.h"
#include "util/ids.h"

#define TENANT_MAX 48
#define ACTOR_MAX 48
#define REASON_MAX 120

struct domain {
	char id[ID_MAX];
	char tenant[TENANT_MAX];
	int64_t version; /* one more with each change */
	enum domain_state state;
	char reason[REASON_MAX]; /* of its state; "": as asked */
	int64_t number;          /* the hypervisor's; 0: none */
	int64_t created_wall_ms, updated_wall_ms, started_wall_ms;
	struct domain_spec spec;
};

/* What domains claim of the node, taken together. */
struct claims {
	uint64_t domains, memory_bytes, cpu_permille, pool_bytes;
};

/* What a request for room on the node was compared with. */
enum resource {
	RESOURCE_MEMORY, /* bytes */
	RESOURCE_CPU,    /* thousandths of a CPU */
	RESOURCE_POOL,   /* bytes */
	RESOURCES
};

/* It holds if claimed + requested <= limit. */
struct inequality {
	uint64_t claimed, requested, limit;
};

struct verdict {
	struct inequality list[RESOURCES];
};

enum operation_state {
	OPERATION_QUEUED,
	OPERATION_RUNNING,
	OPERATION_SUCCEEDED,
	OPERATION_FAILED,
	OPERATION_STATES
};

struct operation {
	char id[ID_MAX];
	enum domain_action action;
	char domain_id[ID_MAX]; /* or a volume's, see model/volume.h */
	char tenant[TENANT_MAX];
	enum operation_state state;
	enum domain_state from_state; /* the domain's, when it was asked for */
	bool starts;                  /* a creation that starts it too */
	/* Asked the guest, and waits for it until then; 0: does not wait. */
	int64_t deadline_wall_ms;
	char actor[ACTOR_MAX];
	char request_id[ID_MAX];
	int64_t created_wall_ms, started_wall_ms, finished_wall_ms; /* 0: not */
	char problem_code[32]; /* of one that failed */
	char problem[200];
};

#endif
