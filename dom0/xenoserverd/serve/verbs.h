/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked for, word by word: the domain tool's verbs, performed in
 * the process that looks after the domains. */
#ifndef SERVE_VERBS_H
#define SERVE_VERBS_H

#include "serve/guests.h"
#include "util/strbuf.h"

#define VERB_WORDS_MAX 8

/* words[0] is the verb. 0 with what is to be printed, or -1. */
int verb_perform(struct guests *all, char *const *words, unsigned int count,
		 struct strbuf *out, struct error *err);

#endif
