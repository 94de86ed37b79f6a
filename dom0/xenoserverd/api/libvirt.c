// SPDX-License-Identifier: Apache-2.0
/* See libvirt.h. */
#include "api/libvirt.h"

#include <stdlib.h>
#include <string.h>

#include "api/json_write.h"
#include "api/problem.h"
#include "libvirt/domain_xml.h"

int libvirt_read(struct request *r, struct answer *a, struct create_body *out,
		 struct violations *v)
{
	struct domain_import *import = malloc(sizeof(*import));
	const char *text = r->body.text ? r->body.text : "";
	struct error err;

	if (!import)
		abort();
	if (domain_xml_read(text, r->body.length, import, v, &err)) {
		free(import);
		answer_problem(r, a, PROBLEM_MALFORMED, NULL, "%s",
			       err.message);
		return -1;
	}
	*out = (struct create_body){ .spec = import->spec,
				     .start = true,
				     .ignored = json_array() };
	memcpy(out->tenant, import->tenant, sizeof(out->tenant));
	for (unsigned int i = 0; i < import->ignored_count; i++)
		json_array_append_new(out->ignored,
				      text_json(import->ignored[i]));
	free(import);
	return 0;
}

void libvirt_answer(struct answer *a, const struct domain *d)
{
	struct strbuf text = { .text = NULL };

	domain_xml_write(&text, d);
	a->status = 200;
	a->type = XML_TYPE;
	a->text = text.text;
}
