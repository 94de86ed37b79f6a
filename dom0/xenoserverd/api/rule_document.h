/* SPDX-License-Identifier: Apache-2.0 */
/* Rules as JSON: checked, and brought into the text that network/rule_parse.h
 * reads, a line for each. Whom a name means is the caller's to say. */
#ifndef API_RULE_DOCUMENT_H
#define API_RULE_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>

#include "model/domain.h"
#include "model/violation.h"
#include "util/strbuf.h"

/* false: there is none. */
typedef bool (*rule_resolve)(void *context, const char *id_or_name,
			     char id[ID_MAX]);

/* Names become ids in the document too. What is wrong is added to v, and then
 * neither is of use. */
void rule_document_read(json_t *document, rule_resolve resolve, void *context,
			struct strbuf *text, struct violations *v);

/* The field that a part of a rule's text comes from, see rule_part; NULL: the
 * rule itself. */
const char *rule_field(const char *part);

#endif
