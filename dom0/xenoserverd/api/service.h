/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The node's service: REST over a Unix socket for the local operator, known by
 * the credentials of the peer, and over TCP for who has a token. It serves what
 * api/openapi.yaml says.
 */
#ifndef API_SERVICE_H
#define API_SERVICE_H

#include <sys/types.h>

#include "orchestrate/orchestration.h"
#include "storage/images.h"

struct service_options {
	struct orchestration_options
		orchestration;   /* changed is the service's */
	const char *socket_path; /* NULL: none */
	gid_t operator_group;    /* besides root; (gid_t)-1: none */
	/* "127.0.0.1:8440", "[::1]:8440"; NULL: none. Beyond the loopback only
	 * with TLS: certificate and key, files in PEM; NULL: none. */
	const char *tcp_address;
	const char *certificate_path, *key_path;
	/* A file with a token, xs_<id>_<secret>, from whoever starts the node
	 * for the first time or has lost all others: it becomes an operator's,
	 * unless there was one with that id, and the file goes. NULL: none. */
	const char *operator_token_path;
	/* By kind; NULL: there are none of that kind. */
	const char *image_folders[IMAGE_KINDS];
};

struct service;

/* Serves when it returns. The threads that it starts inherit the signal mask.
 * Files that the process makes are its own from then on. */
int service_open(struct service **out, const struct service_options *options,
		 struct error *err);
/* NULL: nothing. The machine has to answer until it returns. */
void service_close(struct service *s);
/* Until SIGTERM or SIGINT. Domains go on without it. */
int service_run(const struct service_options *options, struct error *err);

#endif
