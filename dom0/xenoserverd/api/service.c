// SPDX-License-Identifier: Apache-2.0
/* See service.h. Opened in order, closed in reverse; nothing is served before
 * store and machine are reconciled. */
#include "api/service.h"

#include <signal.h>

#include "api/api.h"
#include "api/door.h"
#include "util/log.h"

static void changed(void *context)
{
	struct api *api = context;

	hub_wake(api->hub);
}

static int open_doors(struct api *api, struct door **local, struct door **tcp,
		      struct error *err)
{
	const struct service_options *o = &api->options;

	if (o->socket_path && door_open_local(local, api, err))
		return -1;
	return o->tcp_address && door_open_tcp(tcp, api, err) ? -1 : 0;
}

static void wait_for_end(const sigset_t *ends)
{
	int signal_number;

	log_info("op=serve state=ready");
	sigwait(ends, &signal_number);
	log_info("op=serve state=ending signal=%d", signal_number);
}

int service_run(const struct service_options *options, struct error *err)
{
	static struct api api;
	struct door *local = NULL, *tcp = NULL;
	sigset_t ends;
	int rc;

	/* Before there are threads: they inherit it. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	api.options = *options;
	api.options.orchestration.changed = changed;
	api.options.orchestration.changed_context = &api;
	if (hub_open(&api.hub, err))
		return -1;
	rc = orchestration_open(&api.orchestration, &api.options.orchestration,
				err);
	if (rc == 0)
		rc = open_doors(&api, &local, &tcp, err);
	if (rc == 0)
		wait_for_end(&ends);
	hub_drain(api.hub);
	door_close(tcp);
	door_close(local);
	orchestration_close(api.orchestration);
	hub_close(api.hub);
	return rc;
}
