/* SPDX-License-Identifier: Apache-2.0 */
/* Does what was asked of volumes, as the worker does what was asked of domains,
 * in a thread of its own: writing a volume takes as long as it takes. Private
 * to this room. */
#ifndef ORCHESTRATE_VOLUME_WORKER_H
#define ORCHESTRATE_VOLUME_WORKER_H

#include "orchestrate/orchestration.h"

struct volume_worker;

/* What was cut short is done again. options outlive it. */
int volume_worker_open(struct volume_worker **out,
		       const struct orchestration_options *options,
		       struct error *err);
/* After the act at hand. */
void volume_worker_close(struct volume_worker *w);
void volume_worker_wake(struct volume_worker *w);

#endif
