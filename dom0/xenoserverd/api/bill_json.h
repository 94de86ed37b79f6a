/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger's things as JSON: money is whole micro-units with their currency,
 * what may be beyond 2^53 is decimal text. Who gets a json_t owns it. */
#ifndef API_BILL_JSON_H
#define API_BILL_JSON_H

#include <jansson.h>

#include "accounting/statement.h"

/* RFC 3339 in UTC, to the ns. */
json_t *moment_json(int64_t at_ns);
/* false: it is none, or before 1970, or after 2261. */
bool moment_parse(const char *text, int64_t *at_ns);

json_t *whole_json(acct_u128 value);
json_t *hash_json(const uint8_t hash[ACCT_HASH_BYTES]);
json_t *money_json(const struct acct_store *ledger, int64_t micro);
json_t *head_json(const struct acct_store *ledger,
		  const struct acct_head *head);
/* Of each meter. */
json_t *sums_json(const struct acct_store *ledger,
		  const struct acct_statement *s);
json_t *line_json(const struct acct_store *ledger,
		  const struct acct_line *line);
json_t *tariff_json(const struct acct_tariff *t);

/* By its name; 0: none. */
enum acct_meter meter_parse(const char *name);

#endif
