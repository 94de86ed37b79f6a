/* SPDX-License-Identifier: Apache-2.0 */
/* From JSON that somebody has sent to what the node works with. What is wrong
 * is added to the violations with its field, its value, and its limit. */
#ifndef API_JSON_READ_H
#define API_JSON_READ_H

#include <jansson.h>

#include "api/api.h"
#include "model/domain_spec.h"

/* Whether a Content-Type, or NULL, is this one, whatever its parameters. */
bool media_type_is(const char *given, const char *type);
/* The body as an object, for json_decref; NULL: the answer says why not. */
json_t *read_body(struct request *r, struct answer *a, const char *type);

struct create_body {
	struct domain_spec spec;
	bool start;
	char tenant[TENANT_MAX]; /* "": not given */
	json_t *ignored; /* what of libvirt's XML has no effect; NULL: JSON */
};

void read_create(json_t *body, struct create_body *out, struct violations *v);
/* A merge patch onto spec. */
void read_patch(json_t *body, struct domain_spec *spec, struct violations *v);

struct volume_body {
	char name[CONFIG_NAME_MAX], image[SPEC_FILE_MAX];
	char tenant[TENANT_MAX]; /* "": not given */
	uint64_t size_bytes;
};

void read_volume_body(json_t *body, struct volume_body *out,
		      struct violations *v);
/* A merge patch onto what is there. */
void read_volume_patch(json_t *body, struct volume_body *out,
		       struct violations *v);

struct token_body {
	enum role role;
	char tenant[TENANT_MAX];
	char description[128];
	int64_t expires_in_s;
};

void read_token_body(json_t *body, struct token_body *out,
		     struct violations *v);

#endif
