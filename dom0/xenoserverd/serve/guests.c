// SPDX-License-Identifier: Apache-2.0
/* See guests.h. Creation does first what may fail; destruction goes the other
 * way and takes nothing for granted. */
#include "serve/guests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <xen/sched.h>
#include <xen/xen.h>

#include "build/builder.h"
#include "serve/records.h"
#include "util/log.h"
#include "xenstore/domain_nodes.h"

/* A domain that ends sooner than that after its start is not restarted: it
 * would do it again. */
#define RESTART_AFTER_S 2

static int64_t now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

struct guest *guests_by_id(struct guests *all, uint32_t id)
{
	struct guest *g = all->first;

	while (g && g->id != id)
		g = g->next;
	return g;
}

struct guest *guests_find(struct guests *all, const char *name,
			  struct error *err)
{
	char number[16];

	for (struct guest *g = all->first; g; g = g->next) {
		snprintf(number, sizeof(number), "%u", g->id);
		if (strcmp(g->config.name, name) == 0 ||
		    strcmp(number, name) == 0)
			return g;
	}
	error_fill(err, ERR_NOT_FOUND, "no domain %s", name);
	return NULL;
}

/* So that a later process finds it as it is. */
static int record(struct guests *all, const struct guest *g,
		  enum record_state state, struct error *err)
{
	struct record r = { state, g->id, g->created_s, g->text };

	return record_write(all->record_folder, g->config.name, &r, err);
}

static int set_schedule(struct guests *all, const struct guest *g,
			struct error *err)
{
	struct hv_sched s = { .weight = g->config.weight,
			      .cap_permille = g->config.cap_permille };

	/* It starts with the usual ones. */
	if (s.weight == CONFIG_WEIGHT_USUAL && !s.cap_permille)
		return 0;
	return hv_sched_set(all->hv, g->id, &s, err);
}

static int furnish(struct guests *all, struct guest *g,
		   const struct built_domain *built, struct error *err)
{
	const struct domain_config *c = &g->config;
	struct domain_nodes nodes = {
		.id = g->id,
		.name = c->name,
		.memory_kib = c->memory_bytes / 1024,
		.max_memory_kib = c->max_memory_bytes / 1024,
		.vcpus = c->vcpus,
		.store_frame = built->store_frame,
		.console_frame = built->console_frame,
		.store_port = built->store_port,
		.console_port = built->console_port,
	};

	if (record(all, g, RECORD_BUILDING, err) || set_schedule(all, g, err) ||
	    console_open(&g->console, all->hv, g->id, built->console_port,
			 all->log_folder, c->name, err) ||
	    domain_nodes_write(all->store, &nodes, err) ||
	    devices_create(&g->devices, all->hv, all->store, g->id, c, err) ||
	    record(all, g, RECORD_RUNNING, err))
		return -1;
	/* None of its packets shall miss them. */
	rules_bind(&all->rules, c->name, g->id);
	if (rules_install(&all->rules, err))
		return -1;
	return hv_domain_unpause(all->hv, g->id, err);
}

/* Whatever there is of it. */
static int dismantle(struct guests *all, struct guest *g, struct error *err)
{
	console_close(&g->console);
	devices_destroy(&g->devices, all->hv, all->store);
	/* Its number will be another's. */
	rules_bind(&all->rules, g->config.name, RULE_NO_DOMAIN);
	if (rules_install(&all->rules, err))
		log_failure("op=rules.install message=\"%s\"", err->message);
	devices_forget(all->store, g->id);
	domain_nodes_remove(all->store, g->id);
	if (hv_domain_destroy(all->hv, g->id, err) &&
	    err->code != ERR_NOT_FOUND)
		return -1;
	return 0;
}

static void clear(struct guest *g)
{
	memset(&g->console, 0, sizeof(g->console));
	memset(&g->devices, 0, sizeof(g->devices));
	g->console.viewer_fd = -1;
	g->ended = false;
}

static int start(struct guests *all, struct guest *g, struct error *err)
{
	const struct domain_config *c = &g->config;
	struct build_request request = {
		.kernel = c->kernel,
		.ramdisk = c->ramdisk,
		.command_line = c->command,
		.memory_bytes = c->memory_bytes,
		.max_memory_bytes = c->max_memory_bytes,
		.vcpus = c->vcpus,
	};
	struct built_domain built;
	struct error ignored;

	clear(g);
	g->devices.lease_folder = all->lease_folder;
	if (build_domain(all->hv, &request, &built, err))
		return -1;
	g->id = built.id;
	g->created_s = now_s();
	if (furnish(all, g, &built, err)) {
		dismantle(all, g, &ignored);
		return -1;
	}
	log_info("op=domain.start domain=%u name=%s", g->id, c->name);
	return 0;
}

static void free_guest(struct guest *g)
{
	free(g->text);
	free(g);
}

static void forget(struct guests *all, struct guest *g)
{
	struct guest **at = &all->first;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
	/* Whose file it is gets to know. */
	if (g->console.viewer_fd >= 0)
		shutdown(g->console.viewer_fd, SHUT_RDWR);
	record_remove(all->record_folder, g->config.name);
	free_guest(g);
}

/* From a configuration's text, not yet in the list. */
static struct guest *new_guest(const char *text, struct error *err)
{
	struct guest *g;

	if (strlen(text) >= RECORD_TEXT_MAX) {
		error_fill(err, ERR_INVALID, "a longer text than %d bytes",
			   RECORD_TEXT_MAX - 1);
		return NULL;
	}
	g = calloc(1, sizeof(*g));
	if (g)
		g->text = strdup(text);
	if (!g || !g->text) {
		free(g);
		error_fill(err, ERR_SYSTEM, "no memory");
		return NULL;
	}
	if (domain_config_parse(&g->config, text, strlen(text), err)) {
		free_guest(g);
		return NULL;
	}
	clear(g);
	return g;
}

static void remember(struct guests *all, struct guest *g)
{
	g->next = all->first;
	all->first = g;
}

int guests_create(struct guests *all, const char *text, struct guest **out,
		  struct error *err)
{
	struct guest *g = new_guest(text, err);
	struct error not_found;

	if (!g)
		return -1;
	if (guests_find(all, g->config.name, &not_found)) {
		error_fill(err, ERR_EXISTS, "there is a domain %s",
			   g->config.name);
		free_guest(g);
		return -1;
	}
	if (start(all, g, err)) {
		record_remove(all->record_folder, g->config.name);
		free_guest(g);
		return -1;
	}
	remember(all, g);
	*out = g;
	return 0;
}

int guests_destroy(struct guests *all, struct guest *g, struct error *err)
{
	if (dismantle(all, g, err))
		return -1;
	log_info("op=domain.destroy domain=%u name=%s", g->id, g->config.name);
	forget(all, g);
	return 0;
}

#define HALT_TRIES 1000
#define HALT_PAUSE_US 1000

/* A vCPU that is on another CPU leaves it a moment later. */
static int await_halt(struct guests *all, const struct guest *g,
		      struct error *err)
{
	struct hv_domain info;

	for (int i = 0; i < HALT_TRIES; i++) {
		if (hv_domain_info(all->hv, g->id, &info, err))
			return -1;
		if (!info.on_cpu)
			return 0;
		usleep(HALT_PAUSE_US);
	}
	return error_set(err, ERR_BUSY, "%s does not stand still",
			 g->config.name);
}

int guests_halt(struct guests *all, struct guest *g, struct error *err)
{
	struct hv_domain info;

	if (hv_domain_info(all->hv, g->id, &info, err))
		return -1;
	if (info.state != HV_SHUT_DOWN && !info.paused &&
	    hv_domain_pause(all->hv, g->id, err))
		return -1;
	devices_destroy(&g->devices, all->hv, all->store);
	return await_halt(all, g, err);
}

static void bind_all(void *context, struct rule_policy *p)
{
	const struct guests *all = context;

	for (const struct guest *g = all->first; g; g = g->next)
		rule_policy_bind(p, g->config.name, g->id);
}

int guests_set_rules(struct guests *all, const char *text, struct error *err)
{
	return rules_set(&all->rules, text, bind_all, all, err);
}

static enum end_action action_for(const struct guest *g, uint32_t code)
{
	switch (code) {
	case SHUTDOWN_poweroff:
		return g->config.on_poweroff;
	case SHUTDOWN_reboot:
		return g->config.on_reboot;
	default:
		return g->config.on_crash;
	}
}

static void restart(struct guests *all, struct guest *g)
{
	int viewer_fd = g->console.viewer_fd;
	struct error err;

	/* Should this process end in between, the next one goes on. */
	if (record(all, g, RECORD_RESTARTING, &err) ||
	    dismantle(all, g, &err) || start(all, g, &err)) {
		g->console.viewer_fd = viewer_fd;
		log_failure("op=domain.restart name=%s message=\"%s\"",
			    g->config.name, err.message);
		forget(all, g);
		return;
	}
	/* Who watches goes on watching. */
	g->console.viewer_fd = viewer_fd;
}

static void tell(struct guests *all)
{
	if (all->ended)
		all->ended(all->ended_context);
}

static void preserve(struct guests *all, struct guest *g)
{
	struct error err;

	g->ended = true;
	if (record(all, g, RECORD_ENDED, &err))
		log_warning("op=record message=\"%s\"", err.message);
	tell(all);
}

static void end(struct guests *all, struct guest *g, uint32_t code)
{
	enum end_action action = action_for(g, code);
	char reason[80];
	struct error err;

	console_serve(&g->console);
	hv_crash_reason(all->hv, g->id, reason, sizeof(reason));
	log_info("op=domain.end domain=%u name=%s code=%u reason=\"%s\"", g->id,
		 g->config.name, code, reason);
	if (action == END_RESTART && now_s() - g->created_s < RESTART_AFTER_S) {
		log_warning("op=domain.restart name=%s refused=too-soon",
			    g->config.name);
		action = END_PRESERVE;
	}
	if (action == END_RESTART)
		restart(all, g);
	else if (action == END_PRESERVE)
		preserve(all, g);
	else if (guests_destroy(all, g, &err))
		log_failure("op=domain.destroy message=\"%s\"", err.message);
}

static void look_after(struct guests *all, struct guest *g)
{
	struct hv_domain info;
	struct error err;

	if (hv_domain_info(all->hv, g->id, &info, &err)) {
		/* Somebody else has destroyed it. */
		if (err.code == ERR_NOT_FOUND) {
			guests_destroy(all, g, &err);
			tell(all);
		}
		return;
	}
	if (info.state == HV_SHUT_DOWN && !g->ended)
		end(all, g, info.shutdown_code);
}

void guests_look_after(struct guests *all)
{
	struct guest *next;

	for (struct guest *g = all->first; g; g = next) {
		next = g->next;
		look_after(all, g);
	}
}

void guests_event(struct guests *all, uint32_t port)
{
	for (struct guest *g = all->first; g; g = g->next)
		if (g->console.ring && g->console.port == port) {
			console_serve(&g->console);
			return;
		}
}

void guests_follow(struct guests *all, const char *token)
{
	uint32_t id, number;
	enum device_kind kind;
	struct guest *g;

	if (!device_token_parse(token, &id, &kind, &number))
		return;
	g = guests_by_id(all, id);
	if (g)
		devices_follow(&g->devices, all->hv, all->store, kind, number);
	else if (id == 0)
		devices_follow(&all->own, all->hv, all->store, kind, number);
}

static int adopt_running(struct guests *all, struct guest *g, struct error *err)
{
	char directory[STORE_PATH_MAX];
	uint32_t port;

	g->devices.lease_folder = all->lease_folder;
	snprintf(directory, sizeof(directory), "/local/domain/%u", g->id);
	if (!store_read_number(all->store, directory, "console/port", &port))
		return error_set(err, ERR_NOT_FOUND, "no console port");
	if (console_open(&g->console, all->hv, g->id, port, all->log_folder,
			 g->config.name, err) ||
	    devices_adopt(&g->devices, all->hv, all->store, g->id, &g->config,
			  err))
		return -1;
	/* What it has printed meanwhile, without an event to us. */
	console_serve(&g->console);
	return 0;
}

/* Not there any more, or never quite. */
static int clear_away(struct guests *all, struct guest *g,
		      enum record_state state, struct error *err)
{
	struct hv_domain info;

	if (hv_domain_info(all->hv, g->id, &info, err) == 0 &&
	    state != RECORD_BUILDING && state != RECORD_RESTARTING)
		return 0;
	if (dismantle(all, g, err))
		return -1;
	if (state == RECORD_RESTARTING)
		return start(all, g, err);
	return error_set(err, ERR_NOT_FOUND, "it is gone");
}

static void adopt(void *context, const struct record *r)
{
	struct guests *all = context;
	struct error err;
	struct guest *g = new_guest(r->text, &err);
	uint32_t id = r->id;

	free(r->text);
	if (!g) {
		log_failure("op=domain.adopt domain=%u message=\"%s\"", id,
			    err.message);
		return;
	}
	g->id = id;
	g->created_s = r->created_s;
	g->ended = r->state == RECORD_ENDED;
	remember(all, g);
	if (clear_away(all, g, r->state, &err)) {
		log_warning("op=domain.adopt domain=%u name=%s message=\"%s\"",
			    id, g->config.name, err.message);
		forget(all, g);
		return;
	}
	/* A new one has everything; half an old one can still be destroyed. */
	if (g->id == id && adopt_running(all, g, &err))
		log_failure("op=domain.adopt domain=%u name=%s message=\"%s\"",
			    id, g->config.name, err.message);
	rules_bind(&all->rules, g->config.name, g->id);
	log_info("op=domain.adopt domain=%u name=%s", g->id, g->config.name);
}

int guests_adopt(struct guests *all, struct error *err)
{
	if (records_open(all->record_folder, err))
		return -1;
	/* What cannot be read or put in force can be given anew. */
	if (rules_open(&all->rules, all->hv, all->record_folder, err))
		log_failure("op=rules.adopt message=\"%s\"", err->message);
	if (records_read(all->record_folder, adopt, all, err))
		return -1;
	if (rules_install(&all->rules, err))
		log_failure("op=rules.install message=\"%s\"", err->message);
	return 0;
}

void guests_leave(struct guests *all)
{
	rules_close(&all->rules);
}
