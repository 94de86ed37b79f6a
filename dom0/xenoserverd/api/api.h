/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share: a request and its answer, apart from how
 * they came over the wire. */
#ifndef API_API_H
#define API_API_H

#include <stdatomic.h>
#include <stdbool.h>

#include "api/hub.h"
#include "api/service.h"
#include "orchestrate/orchestration.h"
#include "store/db.h"
#include "store/token_rows.h"
#include "util/strbuf.h"

#define BODY_MAX_BYTES 65536
#define PATH_WORD_MAX 64
#define PATH_WORDS_MAX 3

struct api {
	struct service_options options;
	struct orchestration *orchestration;
	struct hub *hub;
	/* Answers by the first digit of their status, and time spent on all. */
	atomic_ulong answers[6], answer_ms;
};

/* Who asks. */
struct caller {
	enum role role;
	char tenant[TENANT_MAX]; /* "": an operator */
	char actor[ACTOR_MAX];
};

struct route;

struct request {
	struct api *api;
	struct db *db; /* of this thread */
	struct MHD_Connection *connection;
	bool local; /* through the Unix socket */
	const char *method, *path;
	char id[ID_MAX];
	struct strbuf body;
	bool too_large;
	int64_t started_ms; /* monotonic */
	/* Filled in by the router. */
	const struct route *route;
	char words[PATH_WORDS_MAX][PATH_WORD_MAX]; /* for {} of the route */
	struct caller caller;
};

struct answer {
	int status;
	const char *type; /* of the text */
	char *text;       /* for free(); NULL: none */
	char location[64], etag[24], allow[32];
	char link[300];
	unsigned int retry_after_s; /* 0: not said */
	bool replayed, challenge;
	bool discard; /* what it has written is not to be committed */
	/* Instead of all this: events after an id, as they come; or the same
	 * question again when something has changed, or at that time. */
	bool stream;
	int64_t stream_after;
	int64_t wait_until_ms; /* monotonic; 0: no */
};

/* NULL: not given. Of a name in a query, "" if it has no value. */
const char *request_header(const struct request *r, const char *name);
const char *request_query(const struct request *r, const char *name);
/* The name of a query that is not in the list "a,b,c"; NULL: none. */
const char *request_stray_query(const struct request *r, const char *known);

/* NULL for an operator: the tenant to which answers are limited. */
const char *request_tenant(const struct request *r);

/* router.c */
void route_request(struct request *r, struct answer *a);
/* What stands in logs for the path of a request. */
const char *route_name(const struct request *r);

/* auth.c: 0; or -1, and the answer says why not. */
int authenticate(struct request *r, struct answer *a);

typedef void (*handler)(struct request *r, struct answer *a);

/* domains.c */
void domains_create(struct request *r, struct answer *a);
void domains_list(struct request *r, struct answer *a);
void domains_get(struct request *r, struct answer *a);
void domains_update(struct request *r, struct answer *a);
void domains_delete(struct request *r, struct answer *a);
void domains_act(struct request *r, struct answer *a);
/* operations.c */
void operations_list(struct request *r, struct answer *a);
void operations_get(struct request *r, struct answer *a);
/* tokens.c */
void tokens_create(struct request *r, struct answer *a);
void tokens_list(struct request *r, struct answer *a);
void tokens_get(struct request *r, struct answer *a);
void tokens_delete(struct request *r, struct answer *a);
/* events.c */
void events_get(struct request *r, struct answer *a);
/* host.c */
void host_get(struct request *r, struct answer *a);
void health_get(struct request *r, struct answer *a);
void readiness_get(struct request *r, struct answer *a);
void metrics_get(struct request *r, struct answer *a);
void openapi_get(struct request *r, struct answer *a);

/* statements.c */
void usage_get(struct request *r, struct answer *a);
void domain_statement_get(struct request *r, struct answer *a);
void account_statement_get(struct request *r, struct answer *a);
void accounts_get(struct request *r, struct answer *a);
/* accounts.c */
void accounts_list(struct request *r, struct answer *a);
void adjustments_create(struct request *r, struct answer *a);
/* tariffs.c */
void tariffs_list(struct request *r, struct answer *a);
void tariffs_get(struct request *r, struct answer *a);
void tariffs_create(struct request *r, struct answer *a);
/* ledger.c */
void ledger_get(struct request *r, struct answer *a);
void ledger_verify(struct request *r, struct answer *a);

/* events.c: a stream of events. */
struct event_stream;
struct event_stream *event_stream_open(const struct request *r, int64_t after);
void event_stream_close(struct event_stream *s);
/* Bytes for out; 0: suspended, or to be asked again; -1: its end. */
ssize_t event_stream_read(struct event_stream *s, char *out, size_t max);

#endif
