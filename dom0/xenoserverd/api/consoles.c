// SPDX-License-Identifier: Apache-2.0
/* /v1/domains/{}/console: what it has said, as text, and the console itself, as
 * a WebSocket. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/desk.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "api/sessions.h"
#include "store/domain_rows.h"
#include "util/websocket.h"

/* -1: the answer says what is wrong. */
static int read_number(struct request *r, struct answer *a, const char *name,
		       uint64_t least, uint64_t *out)
{
	const char *text = request_query(r, name);
	char *end, limit[48];

	if (!text)
		return 0;
	*out = strtoull(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && *out >= least &&
	    *out <= INT64_MAX)
		return 0;
	snprintf(limit, sizeof(limit), "a whole number from %" PRIu64 " on",
		 least);
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", name, "value",
				 text_json(text), "limit", limit),
		       "%s has to be %s", name, limit);
	return -1;
}

static int read_part(struct request *r, struct answer *a,
		     struct console_part *p)
{
	bool tail = request_query(r, "tail_bytes");
	uint64_t limit = UINT64_MAX;

	*p = (struct console_part){ .count = UINT64_MAX };
	if (tail && request_query(r, "offset")) {
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{ss}", "parameter", "offset"),
			       "either tail_bytes or offset");
		return -1;
	}
	if (read_number(r, a, "tail_bytes", 0, &p->count) ||
	    read_number(r, a, "offset", 0, &p->offset) ||
	    read_number(r, a, "limit", 1, &limit))
		return -1;
	if (tail)
		p->offset = UINT64_MAX;
	if (limit < p->count)
		p->count = limit;
	return 0;
}

void console_log_get(struct request *r, struct answer *a)
{
	struct machine *m = r->api->options.orchestration.machine;
	struct console_part p;
	struct domain d;
	struct error err;

	if (read_part(r, a, &p))
		return;
	if (domain_find(r->db, request_tenant(r), r->words[0], &d, &err)) {
		answer_error(r, a, &err);
		return;
	}
	error_fill(&err, ERR_SYSTEM, "no memory");
	a->text = malloc(CONSOLE_LOG_MOST_BYTES);
	if (!a->text || m->console_log(m->self, d.id, &p, a->text, &err)) {
		free(a->text);
		a->text = NULL;
		if (err.code == ERR_UNSUPPORTED)
			err.code = ERR_NOT_FOUND;
		answer_error(r, a, &err);
		return;
	}
	a->status = 200;
	a->type = "text/plain";
	a->text_bytes = p.count;
	a->has_bytes = true;
	answer_header(a, "Console-Offset", p.offset);
	answer_header(a, "Console-Next", p.offset + p.count);
	answer_header(a, "Console-Size", p.size);
	answer_header(a, "Console-Dropped", p.dropped);
}

/* ---- the WebSocket ---- */

struct console_job {
	struct job job;
	char handle[ID_MAX];
	bool writes;
	struct sessions *sessions;
	bool reserved;
	int fd, rc;
	struct error err;
};

static void open_console(struct job *j, struct api *api, struct db *db)
{
	struct console_job *c = (struct console_job *)j;
	struct machine *m = api->options.orchestration.machine;

	(void)db;
	c->rc = m->console_open(m->self, c->handle, &c->fd, &c->err);
}

static void discard(struct job *j)
{
	struct console_job *c = (struct console_job *)j;

	if (c->fd >= 0)
		close(c->fd);
	if (c->reserved)
		sessions_give_back(c->sessions);
	free(c);
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; p && *p; p += strcspn(p, ",")) {
		p += strspn(p, ", \t");
		if (strncasecmp(p, word, length) == 0 &&
		    (!p[length] || strchr(", \t", p[length])))
			return true;
	}
	return false;
}

/* -1: the answer says what is missing. */
static int check_upgrade(struct request *r, struct answer *a)
{
	const char *version = request_header(r, "Sec-WebSocket-Version");
	const char *key = request_header(r, "Sec-WebSocket-Key");

	if (strcmp(r->method, "GET") != 0 ||
	    !has_word(request_header(r, "Upgrade"), "websocket") ||
	    !has_word(request_header(r, "Connection"), "upgrade") || !version ||
	    strcmp(version, "13") != 0) {
		answer_problem(r, a, PROBLEM_UPGRADE, NULL,
			       "the headers of a WebSocket of version 13 are "
			       "needed");
		a->upgrade_wanted = true;
		return -1;
	}
	if (key && websocket_key_valid(key))
		return 0;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss ss}", "header", "Sec-WebSocket-Key",
				 "limit", "16 bytes in base64"),
		       "Sec-WebSocket-Key has to be 16 bytes in base64");
	return -1;
}

static int read_write(struct request *r, struct answer *a, bool *writes)
{
	const char *text = request_query(r, "write");

	*writes = !text || strcmp(text, "true") == 0;
	if (*writes || strcmp(text, "false") == 0)
		return 0;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", "write", "value",
				 text_json(text), "limit", "true or false"),
		       "write has to be true or false");
	return -1;
}

static void refuse_state(struct request *r, struct answer *a,
			 const struct domain *d)
{
	answer_problem(r, a, PROBLEM_STATE,
		       json_pack("{ss so}", "state",
				 domain_state_word(d->state), "allowed_actions",
				 actions_json(d->state)),
		       "there is no console while the domain is %s",
		       domain_state_word(d->state));
}

static void ask(struct request *r, const struct domain *d, bool writes)
{
	struct console_job *c = calloc(1, sizeof(*c));

	if (!c)
		return;
	c->job.perform = open_console;
	c->job.discard = discard;
	memcpy(c->handle, d->id, sizeof(c->handle));
	c->writes = writes;
	c->sessions = r->api->sessions;
	c->fd = -1;
	desk_submit(r, &c->job);
}

static void answer_job(struct request *r, struct answer *a,
		       const struct domain *d)
{
	struct console_job *c = (struct console_job *)r->job;

	if (c->rc) {
		if (c->err.code == ERR_NOT_FOUND)
			refuse_state(r, a, d);
		else
			answer_error(r, a, &c->err);
		return;
	}
	c->reserved = sessions_reserve(c->sessions);
	if (!c->reserved) {
		answer_problem(r, a, PROBLEM_STORE_BUSY, NULL,
			       "as many consoles are open as there may be");
		return;
	}
	a->status = 101;
	a->upgrade = true;
}

void console_get(struct request *r, struct answer *a)
{
	struct domain d;
	struct error err;
	bool writes;

	if (domain_find(r->db, request_tenant(r), r->words[0], &d, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (check_upgrade(r, a) || read_write(r, a, &writes))
		return;
	if (d.state != DOMAIN_RUNNING && d.state != DOMAIN_PAUSED &&
	    d.state != DOMAIN_SHUTTING_DOWN) {
		refuse_state(r, a, &d);
		return;
	}
	if (!r->job)
		ask(r, &d, writes);
	if (!r->job) {
		error_fill(&err, ERR_SYSTEM, "no memory");
		answer_error(r, a, &err);
	} else if (desk_await(r, a)) {
		answer_job(r, a, &d);
	}
}

/* libmicrohttpd says what it gives. */
/* NOLINTNEXTLINE(readability-function-size) */
static void upgraded(void *context, struct MHD_Connection *connection,
		     void *state, const char *early, size_t early_bytes,
		     MHD_socket fd, struct MHD_UpgradeResponseHandle *handle)
{
	struct request *r = state;
	struct console_job *c = (struct console_job *)r->job;
	struct session_start s = {
		.machine_fd = c->fd,
		.client_fd = fd,
		.handle = handle,
		.writes = c->writes,
		.early = early,
		.early_bytes = early_bytes,
	};

	(void)context;
	(void)connection;
	memcpy(s.name, r->id, sizeof(s.name));
	c->fd = -1;
	c->reserved = false;
	sessions_start(c->sessions, &s);
}

struct MHD_Response *console_response(const struct request *r)
{
	struct MHD_Response *m =
		MHD_create_response_for_upgrade(upgraded, NULL);
	char accept[WEBSOCKET_ACCEPT_MAX];

	if (!m)
		return NULL;
	websocket_accept(accept, request_header(r, "Sec-WebSocket-Key"));
	MHD_add_response_header(m, "Upgrade", "websocket");
	MHD_add_response_header(m, "Sec-WebSocket-Accept", accept);
	return m;
}
