/* SPDX-License-Identifier: Apache-2.0 */
/* From what the node knows to JSON. Who gets a json_t owns it. */
#ifndef API_JSON_WRITE_H
#define API_JSON_WRITE_H

#include <jansson.h>

#include "api/api.h"
#include "model/domain.h"
#include "model/volume.h"
#include "store/event_rows.h"

/* The text, cut where it is no UTF-8: what others have sent may be. */
json_t *text_json(const char *text);
/* RFC 3339 in UTC; null for 0. */
json_t *time_json(int64_t wall_ms);

/* What may be asked for in a state. */
json_t *actions_json(enum domain_state s);
json_t *verdict_json(const struct verdict *v);
json_t *domain_json(const struct domain *d, const struct verdict *v);
json_t *operation_json(const struct operation *o);
json_t *volume_json(const struct volume *v);
json_t *event_json(const struct event *e);
json_t *token_json(const struct token *t);

/* Takes the document over. */
void answer_json(struct answer *a, int status, json_t *document);
/* A page of items, and where the next one starts; next "": nowhere. */
void answer_page(struct request *r, struct answer *a, json_t *items,
		 const char *next);

#endif
