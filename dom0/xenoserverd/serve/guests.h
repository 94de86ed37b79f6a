/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The domains that this process has made and looks after: created, watched,
 * restarted, destroyed. Everything happens in the reactor's thread.
 */
#ifndef SERVE_GUESTS_H
#define SERVE_GUESTS_H

#include "console/console.h"
#include "hv/hv.h"
#include "model/domain_config.h"
#include "serve/devices.h"
#include "serve/rules.h"
#include "xenstore/store.h"

struct guest {
	struct guest *next;
	uint32_t id;
	struct domain_config config;
	struct console console;
	struct devices devices;
	int64_t created_s; /* of CLOCK_MONOTONIC */
	bool ended;        /* shut down, and kept as it was asked to be */
	char *text;        /* the configuration, as it was given */
};

struct guests {
	struct hv *hv;
	struct store *store;
	const char *log_folder;   /* for consoles; NULL: none */
	const char *lease_folder; /* of network/leases.h; NULL: none */
	const char *record_folder;
	struct guest *first;
	struct devices own; /* of Domain 0 itself */
	struct rules rules; /* of the firewall-router */
	/* One has ended, and is kept; or is gone. NULL: nobody wants to know.
	 */
	void (*ended)(void *context);
	void *ended_context;
};

/* From the text of a configuration. */
int guests_create(struct guests *all, const char *text, struct guest **out,
		  struct error *err);
/* Those that an earlier process has left, and its rules: looked after again,
 * or what is left of them removed. */
int guests_adopt(struct guests *all, struct error *err);
/* Records what the next process needs of this one. */
void guests_leave(struct guests *all);
/* Its vCPUs stand still and its devices are gone: its meters will not move any
 * more. It can only be destroyed. */
int guests_halt(struct guests *all, struct guest *g, struct error *err);
int guests_destroy(struct guests *all, struct guest *g, struct error *err);
/* From their text: see serve/rules.h. */
int guests_set_rules(struct guests *all, const char *text, struct error *err);
/* By name, or by number. */
struct guest *guests_find(struct guests *all, const char *name,
			  struct error *err);
struct guest *guests_by_id(struct guests *all, uint32_t id);

/* Some domain has ended: does what is to be done about it. */
void guests_look_after(struct guests *all);
/* The front end of one of its devices has a new state. */
void guests_follow(struct guests *all, const char *token);
/* An event of a port of Domain 0. */
void guests_event(struct guests *all, uint32_t port);

#endif
