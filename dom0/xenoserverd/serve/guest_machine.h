/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of orchestration, on this hypervisor: guests of serve/guests.h
 * whose names are handles, "dom_" and an identifier, and volumes of a pool.
 * What concerns guests happens in the reactor's thread: calls are carried over
 * there, in the order in which they come, and waited for; volumes are made, and
 * logs read, in the caller's own.
 */
#ifndef SERVE_GUEST_MACHINE_H
#define SERVE_GUEST_MACHINE_H

#include "model/spec_text.h"
#include "orchestrate/machine.h"
#include "serve/guests.h"
#include "serve/reactor.h"
#include "storage/pool.h"

struct guest_machine_options {
	struct reactor *reactor;
	struct guests *guests;
	struct spec_folders folders;
	const char *images;
};

/* In the reactor's thread, after its guests were adopted, and for as long as
 * the process lives. Calls of other threads are answered once the reactor runs.
 */
int guest_machine_open(struct machine *out,
		       const struct guest_machine_options *o,
		       struct error *err);

#endif
