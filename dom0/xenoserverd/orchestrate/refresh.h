/* SPDX-License-Identifier: Apache-2.0 */
/* Whose meters somebody wants to see: a short list, between those who ask and
 * the worker. It is the caller's to lock. Private to this room. */
#ifndef ORCHESTRATE_REFRESH_H
#define ORCHESTRATE_REFRESH_H

#include "model/domain.h"

#define REFRESHES_MAX 32

struct refresh {
	char account[TENANT_MAX], domain_id[ID_MAX]; /* one of them; "": not */
	bool wanted;
	int64_t read_ms; /* of the monotonic clock; 0: not yet */
};

struct refreshes {
	struct refresh list[REFRESHES_MAX];
};

/* Whether they were read after that moment; if not, they are wanted. When more
 * are wanted than there is room for, they are not, and that is well. */
bool refresh_ask(struct refreshes *all, const char *account,
		 const char *domain_id, int64_t after_ms);
/* One that is wanted, and is not any more; false: none. */
bool refresh_take(struct refreshes *all, struct refresh *out);
void refresh_done(struct refreshes *all, const struct refresh *which,
		  int64_t read_ms);

#endif
