/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a statement as text for people: the readings, the tariff, the
 * arithmetic. */
#ifndef ACCOUNTING_EXPLAIN_H
#define ACCOUNTING_EXPLAIN_H

#include "statement.h"

#define ACCT_AMOUNT_TEXT 32
#define ACCT_LINE_TEXT 1536

/* "-12.345678": micro-units as units; returns text. */
const char *acct_amount_text(int64_t micro, char text[ACCT_AMOUNT_TEXT]);

/* Several lines, each ended by '\n'; returns text. */
const char *acct_line_text(const struct acct_line *line,
			   const struct acct_ledger_info *info,
			   char text[ACCT_LINE_TEXT]);

#endif
