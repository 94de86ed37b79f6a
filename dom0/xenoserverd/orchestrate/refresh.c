// SPDX-License-Identifier: Apache-2.0
/* See refresh.h. */
#include "orchestrate/refresh.h"

#include <stdio.h>
#include <string.h>

static struct refresh *find(struct refreshes *all, const char *account,
			    const char *domain_id)
{
	for (unsigned int i = 0; i < REFRESHES_MAX; i++) {
		struct refresh *r = &all->list[i];

		if (strcmp(r->account, account) == 0 &&
		    strcmp(r->domain_id, domain_id) == 0)
			return r;
	}
	return NULL;
}

/* The one that was read longest ago. NULL: all are wanted. */
static struct refresh *oldest(struct refreshes *all)
{
	struct refresh *found = NULL;

	for (unsigned int i = 0; i < REFRESHES_MAX; i++) {
		struct refresh *r = &all->list[i];

		if (!r->wanted && (!found || r->read_ms < found->read_ms))
			found = r;
	}
	return found;
}

bool refresh_ask(struct refreshes *all, const char *account,
		 const char *domain_id, int64_t after_ms)
{
	struct refresh *r = find(all, account ?: "", domain_id ?: "");

	if (r && r->read_ms > after_ms)
		return true;
	if (!r) {
		r = oldest(all);
		if (!r)
			return true;
		snprintf(r->account, sizeof(r->account), "%s", account ?: "");
		snprintf(r->domain_id, sizeof(r->domain_id), "%s",
			 domain_id ?: "");
		r->read_ms = 0;
	}
	r->wanted = true;
	return false;
}

bool refresh_take(struct refreshes *all, struct refresh *out)
{
	for (unsigned int i = 0; i < REFRESHES_MAX; i++) {
		struct refresh *r = &all->list[i];

		if (!r->wanted)
			continue;
		r->wanted = false;
		*out = *r;
		return true;
	}
	return false;
}

void refresh_done(struct refreshes *all, const struct refresh *which,
		  int64_t read_ms)
{
	struct refresh *r = find(all, which->account, which->domain_id);

	if (r)
		r->read_ms = read_ms;
}
