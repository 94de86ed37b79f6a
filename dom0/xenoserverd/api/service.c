// SPDX-License-Identifier: Apache-2.0
/* See service.h. Opened in order, closed in reverse; nothing is served before
 * store and machine are reconciled. */
#include "api/service.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "api/api.h"
#include "api/desk.h"
#include "api/door.h"
#include "api/image_cache.h"
#include "api/sessions.h"
#include "util/log.h"

struct service {
	struct api api;
	struct door *local, *tcp;
};

static void changed(void *context)
{
	struct api *api = context;

	hub_wake(api->hub);
}

static int open_doors(struct service *s, struct error *err)
{
	const struct service_options *o = &s->api.options;

	/* Whoever waits for the socket finds both. */
	if (o->tcp_address && door_open_tcp(&s->tcp, &s->api, err))
		return -1;
	return o->socket_path && door_open_local(&s->local, &s->api, err) ? -1
									  : 0;
}

int service_open(struct service **out, const struct service_options *options,
		 struct error *err)
{
	struct service *s = calloc(1, sizeof(*s));
	struct api *api = &s->api;

	if (!s)
		return error_set(err, ERR_SYSTEM, "no memory");
	/* The store has digests of secrets, and what tenants call theirs. */
	umask(0077);
	signal(SIGPIPE, SIG_IGN);
	api->options = *options;
	api->options.orchestration.changed = changed;
	api->options.orchestration.changed_context = api;
	if (hub_open(&api->hub, err) ||
	    orchestration_open(&api->orchestration, &api->options.orchestration,
			       err) ||
	    take_operator_token(&api->options, err) ||
	    desk_open(&api->desk, api, err) ||
	    sessions_open(&api->sessions, err) ||
	    image_cache_open(&api->image_cache, api, err) ||
	    open_doors(s, err)) {
		service_close(s);
		return -1;
	}
	log_info("op=serve state=ready");
	*out = s;
	return 0;
}

void service_close(struct service *s)
{
	if (!s)
		return;
	if (s->api.hub)
		hub_drain(s->api.hub);
	/* Who has become a session does not keep a door open. */
	sessions_end(s->api.sessions);
	door_close(s->tcp);
	door_close(s->local);
	sessions_close(s->api.sessions);
	desk_close(s->api.desk);
	image_cache_close(s->api.image_cache);
	orchestration_close(s->api.orchestration);
	hub_close(s->api.hub);
	free(s);
}

int service_run(const struct service_options *options, struct error *err)
{
	struct service *s;
	sigset_t ends;
	int signal_number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	if (service_open(&s, options, err))
		return -1;
	sigwait(&ends, &signal_number);
	log_info("op=serve state=ending signal=%d", signal_number);
	service_close(s);
	return 0;
}
