/* SPDX-License-Identifier: Apache-2.0 */
/* Which labels something must have: "env=prod,tier!=db,team,!old", all of it.
 * Pure. */
#ifndef MODEL_LABEL_SELECTOR_H
#define MODEL_LABEL_SELECTOR_H

#include <stdbool.h>

#include "model/domain_spec.h"

#define SELECTOR_TERMS_MAX 8

enum selector_relation {
	LABEL_IS,
	LABEL_IS_NOT, /* another value, or none */
	LABEL_EXISTS,
	LABEL_MISSING,
};

struct label_selector {
	unsigned int count;
	struct selector_term {
		enum selector_relation relation;
		struct label label; /* its value for the first two */
	} terms[SELECTOR_TERMS_MAX];
};

/* false: makes no sense, or has too many terms. */
bool label_selector_parse(struct label_selector *out, const char *text);

#endif
