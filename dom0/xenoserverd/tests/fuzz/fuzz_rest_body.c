// SPDX-License-Identifier: Apache-2.0
/* Bodies of requests: whatever is sent is refused with violations, or is
 * something that the node can do, as far as its form goes. */
#include <stdlib.h>
#include <string.h>

#include "api/json_read.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "model/spec_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

const char *request_header(const struct request *r, const char *name)
{
	(void)r;
	(void)name;
	return "application/json";
}

/* A specification without violations makes a configuration. */
static void check_spec(const struct domain_spec *s, const struct violations *v)
{
	const struct spec_folders folders = { "/boot", "/pool" };
	struct strbuf text = { .text = NULL };
	struct domain_config c;
	struct error err;

	if (v->count)
		return;
	spec_text(&text, "dom_1", s, &folders);
	if (domain_config_parse(&c, text.text, text.length, &err) ||
	    c.disk_count != s->disk_count || c.vif_count != s->nic_count ||
	    c.memory_bytes != s->memory_bytes)
		abort();
	strbuf_clear(&text);
}

/* What is said about violations is JSON, whatever they hold. */
static void check_answer(const struct request *r, const struct violations *v)
{
	struct answer a = { .status = 0 };

	if (!v->count)
		return;
	answer_violations(r, &a, v);
	if (!a.text || a.status != 422)
		abort();
	free(a.text);
}

static void read_all(const struct request *r, json_t *body)
{
	static struct create_body create;
	static struct violations v;
	struct token_body token;
	struct volume_body volume;

	v.count = 0;
	read_create(body, &create, &v);
	check_spec(&create.spec, &v);
	check_answer(r, &v);
	v.count = 0;
	read_patch(body, &create.spec, &v);
	check_spec(&create.spec, &v);
	check_answer(r, &v);
	v.count = 0;
	read_token_body(body, &token, &v);
	check_answer(r, &v);
	v.count = 0;
	read_volume_body(body, &volume, &v);
	check_answer(r, &v);
	v.count = 0;
	read_volume_patch(body, &volume, &v);
	check_answer(r, &v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request r = { .id = "req_1" };
	struct answer a = { .status = 0 };
	json_t *body;

	if (size > BODY_MAX_BYTES)
		return 0;
	strbuf_add_bytes(&r.body, data, size);
	body = read_body(&r, &a, "application/json");
	if (body)
		read_all(&r, body);
	else if (a.status != 400)
		abort();
	json_decref(body);
	free(a.text);
	strbuf_clear(&r.body);
	return 0;
}
