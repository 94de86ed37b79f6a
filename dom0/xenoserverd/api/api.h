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
#define RULES_BODY_MAX_BYTES (1 << 20)
#define PATH_WORD_MAX 64
#define PATH_WORDS_MAX 3

struct api {
	struct service_options options;
	struct orchestration *orchestration;
	struct hub *hub;
	struct desk *desk;
	struct sessions *sessions;
	struct image_cache *image_cache;
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
	size_t body_most; /* bytes that it may have */
	bool too_large;
	/* Where the body goes instead; what of that has failed. */
	struct image_upload *upload;
	struct error *upload_error;
	struct job *job;    /* at the desk, for this request; NULL: none yet */
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
	/* Of a text that is no string. */
	bool has_bytes;
	size_t text_bytes;
	struct {
		const char *name;
		uint64_t value;
	} headers[4]; /* further ones, of numbers */
	unsigned int header_count;
	char location[96], etag[24], allow[32];
	char link[300];
	unsigned int retry_after_s; /* 0: not said */
	bool replayed, challenge;
	bool discard; /* what it has written is not to be committed */
	/* Instead of all this: events after an id, as they come; or the same
	 * question again when something has changed, or at that time. */
	bool stream;
	int64_t stream_after;
	/* Or a WebSocket; and whether it is that only. */
	bool upgrade, upgrade_wanted;
	int64_t wait_until_ms; /* monotonic; 0: no */
};

/* NULL: not given. Of a name in a query, "" if it has no value. */
const char *request_header(const struct request *r, const char *name);
const char *request_query(const struct request *r, const char *name);
/* The name of a query that is not in the list "a,b,c"; NULL: none. */
const char *request_stray_query(const struct request *r, const char *known);

void answer_header(struct answer *a, const char *name, uint64_t value);

/* NULL for an operator: the tenant to which answers are limited. */
const char *request_tenant(const struct request *r);

/* router.c */
void route_request(struct request *r, struct answer *a);
/* With its head, before its body: how much of that there may be, and where it
 * goes. An answer with a status is to be sent at once. */
void route_head(struct request *r, struct answer *a);
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
/* host_actions.c */
void host_act(struct request *r, struct answer *a);
/* first_token.c: see operator_token_path in service.h. A file that makes no
 * sense stays, and the log says so. */
int take_operator_token(const struct service_options *o, struct error *err);

/* consoles.c */
void console_get(struct request *r, struct answer *a);
void console_log_get(struct request *r, struct answer *a);
/* What makes the connection a WebSocket: NULL: no memory. */
struct MHD_Response *console_response(const struct request *r);

/* vifs.c */
void vifs_get(struct request *r, struct answer *a);
/* rules.c */
void rules_get(struct request *r, struct answer *a);
void rules_put(struct request *r, struct answer *a);
void rules_counters_get(struct request *r, struct answer *a);
/* volumes.c */
void volumes_create(struct request *r, struct answer *a);
void volumes_list(struct request *r, struct answer *a);
void volumes_get(struct request *r, struct answer *a);
void volumes_update(struct request *r, struct answer *a);
void volumes_delete(struct request *r, struct answer *a);
/* images.c */
void images_list_get(struct request *r, struct answer *a);
void images_get(struct request *r, struct answer *a);
/* With the head of a request, which was checked: opens r->upload. */
void images_put_head(struct request *r, struct answer *a);
void images_put(struct request *r, struct answer *a);
void images_delete(struct request *r, struct answer *a);
/* A piece of the body of a PUT. */
void images_put_piece(struct request *r, const char *piece, size_t count);
void images_put_forget(struct request *r);

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
