/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets to listen at, and the files that TLS needs. */
#ifndef API_LISTENER_H
#define API_LISTENER_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

/* For its owner and the group; (gid_t)-1: nobody else. -1: failed. */
int listen_local(const char *path, gid_t group, struct error *err);
/* "ADDRESS:PORT", an IPv6 address in brackets. loopback: nothing else may be
 * listened at. */
int listen_tcp(const char *address, bool loopback, struct error *err);
/* A whole file, for free(). */
char *read_pem(const char *path, struct error *err);

#endif
