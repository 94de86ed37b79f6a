/* SPDX-License-Identifier: Apache-2.0 */
/* A socket that requests come through, with a thread and a handle of the store
 * of its own. */
#ifndef API_DOOR_H
#define API_DOOR_H

#include "api/api.h"

struct door;

/* A Unix socket, which replaces what an earlier process has left. */
int door_open_local(struct door **out, struct api *api, struct error *err);
int door_open_tcp(struct door **out, struct api *api, struct error *err);
/* When nobody waits in the hub any more; NULL: nothing. */
void door_close(struct door *d);

#endif
