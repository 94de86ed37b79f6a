/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections that wait for something to change: suspended, and resumed all
 * together when something has, or each when its time is up. What has changed
 * they find out themselves.
 *
 * A waiter takes the generation, looks, and waits for a later one: what changes
 * between its look and its wait is not missed. The lock is held across
 * suspension and resumption, and nothing is called with it but libmicrohttpd.
 */
#ifndef API_HUB_H
#define API_HUB_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

struct hub;

int hub_open(struct hub **out, struct error *err);
/* After hub_drain, and when no connection can wait any more. */
void hub_close(struct hub *h);

uint64_t hub_generation(struct hub *h);
/* false: it is later already, or the hub is drained: do not wait, look. */
bool hub_wait(struct hub *h, struct MHD_Connection *c, uint64_t generation,
	      int64_t until_monotonic_ms);
/* Something has changed. From any thread. */
void hub_wake(struct hub *h);
/* Resumes all, and from then on nobody waits. */
void hub_drain(struct hub *h);
bool hub_drained(struct hub *h);

#endif
