/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that were put last: the document as it is shown, and the text that
 * the machine has of it. There is always one; the first version is of none. */
#ifndef STORE_RULE_ROWS_H
#define STORE_RULE_ROWS_H

#include <stdint.h>

#include "store/db.h"

#define RULES_FIRST_VERSION 1

struct rule_row {
	int64_t version;
	char *document, *text; /* for rule_row_clear */
};

int rule_row_load(struct db *db, struct rule_row *out, struct error *err);
void rule_row_clear(struct rule_row *r);
/* In place of the one with the version before. ERR_BUSY: there is another. */
int rule_row_save(struct db *db, const struct rule_row *r, struct error *err);

#endif
