/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that make up the machine of guest_machine.h share. Private to
 * them. */
#ifndef SERVE_MACHINE_CALLS_H
#define SERVE_MACHINE_CALLS_H

#include "serve/guest_machine.h"

/* Performs something in the reactor's thread, and returns what it has. */
int guest_machine_ask(void *self,
		      int (*perform)(void *context, struct guests *guests,
				     struct error *err),
		      void *context, struct error *err);
const struct guest_machine_options *guest_machine_options(void *self);

/* machine_consoles.c */
int machine_console_open(void *self, const char *handle, int *fd,
			 struct error *err);
int machine_console_log(void *self, const char *handle, struct console_part *p,
			char *out, struct error *err);
void machine_console_forget(void *self, const char *handle);

/* machine_network.c */
int machine_vif_counters(void *self, const char *handle,
			 struct machine_vif out[CONFIG_VIFS_MAX],
			 struct error *err);
int machine_rules_set(void *self, const char *text,
		      struct machine_rule_fault *fault, struct error *err);
int machine_rules_text(void *self, struct strbuf *out, struct error *err);
int machine_rules_counters(void *self, struct machine_rule_counter *out,
			   uint32_t most, struct error *err);

#endif
