// SPDX-License-Identifier: Apache-2.0
/* See requests.h. */
#include "orchestrate/requests.h"

#include <stdio.h>
#include <string.h>

#include "store/domain_rows.h"
#include "store/event_rows.h"
#include "store/operation_rows.h"
#include "util/clock.h"

int announce_domain(struct db *db, const struct domain *d,
		    const struct operation *o, struct error *err)
{
	struct event e = { .id = 0 };

	snprintf(e.type, sizeof(e.type), "domain.%s",
		 domain_state_word(d->state));
	snprintf(e.tenant, sizeof(e.tenant), "%s", d->tenant);
	snprintf(e.subject, sizeof(e.subject), "%s", d->id);
	snprintf(e.state, sizeof(e.state), "%s", domain_state_word(d->state));
	snprintf(e.message, sizeof(e.message), "%s", d->reason);
	snprintf(e.actor, sizeof(e.actor), "%s", o ? o->actor : "node");
	if (o) {
		snprintf(e.operation_id, sizeof(e.operation_id), "%s", o->id);
		snprintf(e.request_id, sizeof(e.request_id), "%s",
			 o->request_id);
	}
	return event_add(db, &e, err);
}

int announce_operation(struct db *db, const struct operation *o,
		       struct error *err)
{
	const char *word = operation_state_word(o->state);
	struct event e = { .id = 0 };

	snprintf(e.type, sizeof(e.type), "operation.%s", word);
	snprintf(e.tenant, sizeof(e.tenant), "%s", o->tenant);
	snprintf(e.subject, sizeof(e.subject), "%s", o->domain_id);
	snprintf(e.operation_id, sizeof(e.operation_id), "%s", o->id);
	snprintf(e.request_id, sizeof(e.request_id), "%s", o->request_id);
	snprintf(e.actor, sizeof(e.actor), "%s", o->actor);
	snprintf(e.state, sizeof(e.state), "%s", word);
	snprintf(e.message, sizeof(e.message), "%.*s", REASON_MAX - 1,
		 o->problem);
	return event_add(db, &e, err);
}

int refuse_error(struct refusal *r)
{
	switch (r->error.code) {
	case ERR_NOT_FOUND:
		r->kind = REFUSED_NOT_FOUND;
		break;
	case ERR_EXISTS:
		r->kind = REFUSED_NAME;
		break;
	default:
		r->kind = REFUSED_FAILURE;
	}
	return -1;
}

static int admit(struct db *db, const struct capacity *c,
		 const struct domain *d, struct refusal *r)
{
	struct claims claims;

	if (domain_claims(db, d->id, &claims, &r->error))
		return refuse_error(r);
	admission_decide(&r->admission, c, &claims, &d->spec);
	if (r->admission.admitted)
		return 0;
	r->kind = REFUSED_CAPACITY;
	r->error.code = ERR_NO_MEMORY;
	admission_refusal_text(r->error.message, sizeof(r->error.message),
			       &r->admission);
	return -1;
}

void make_operation(struct operation *o, enum domain_action a,
		    const char *target, const char *tenant,
		    const struct requester *by)
{
	memset(o, 0, sizeof(*o));
	id_make(o->id, "op");
	o->action = a;
	snprintf(o->domain_id, sizeof(o->domain_id), "%s", target);
	snprintf(o->tenant, sizeof(o->tenant), "%s", tenant);
	o->state = OPERATION_QUEUED;
	snprintf(o->actor, sizeof(o->actor), "%s", by->actor);
	snprintf(o->request_id, sizeof(o->request_id), "%s", by->request_id);
	o->created_wall_ms = wall_now_ms();
}

static void operation_for(struct operation *o, const struct domain *d,
			  enum domain_action a, const struct requester *by)
{
	make_operation(o, a, d->id, d->tenant, by);
	o->from_state = d->state;
}

static int insert_domain(struct db *db, const struct domain *d,
			 struct refusal *r)
{
	if (domain_insert(db, d, &r->error) == 0)
		return 0;
	if (r->error.code == ERR_EXISTS) {
		error_fill(&r->error, ERR_EXISTS,
			   "there is a domain named %s already", d->spec.name);
	} else if (r->error.code == ERR_BUSY) {
		r->kind = REFUSED_ADDRESS;
		snprintf(r->field, sizeof(r->field), "%.*s",
			 (int)strcspn(r->error.message, ":"), r->error.message);
		return -1;
	}
	return refuse_error(r);
}

int request_create(struct db *db, const struct requester *by,
		   const struct capacity *c, const struct creation *what,
		   struct request_answer *out, struct refusal *r)
{
	struct domain *d = &out->domain;

	memset(d, 0, sizeof(*d));
	id_make(d->id, "dom");
	snprintf(d->tenant, sizeof(d->tenant), "%s", what->tenant);
	d->version = 1;
	d->state = DOMAIN_DEFINED;
	d->spec = *what->spec;
	d->created_wall_ms = d->updated_wall_ms = wall_now_ms();
	operation_for(&out->operation, d, ACTION_CREATE, by);
	out->operation.starts = what->start;
	/* Whether the name is free first: what is wrong with the request
	 * itself is worth more than what the node lacks. */
	if (request_attach(db, d, r) || insert_domain(db, d, r) ||
	    admit(db, c, d, r))
		return -1;
	if (verdict_save(db, d->id, &r->admission.verdict, &r->error) ||
	    operation_insert(db, &out->operation, &r->error) ||
	    announce_domain(db, d, &out->operation, &r->error))
		return refuse_error(r);
	return 0;
}

/* Finds it, and that it is as the asker believes. */
static int find(struct db *db, const struct requester *by,
		const struct target *t, struct domain *d, struct refusal *r)
{
	if (domain_find(db, by->tenant, t->domain, d, &r->error))
		return refuse_error(r);
	if (t->version == ANY_VERSION || t->version == d->version)
		return 0;
	r->kind = REFUSED_VERSION;
	r->version = d->version;
	return error_set(&r->error, ERR_BUSY, "its version is %lld, not %lld",
			 (long long)d->version, (long long)t->version);
}

static int refuse_state(struct refusal *r, const struct domain *d,
			enum domain_action a)
{
	r->kind = REFUSED_STATE;
	r->state = d->state;
	return error_set(&r->error, ERR_BUSY,
			 "%s is not possible while the domain is %s",
			 domain_action_word(a), domain_state_word(d->state));
}

int refuse_busy(struct refusal *r, const struct operation *o)
{
	r->kind = REFUSED_BUSY;
	memcpy(r->operation_id, o->id, sizeof(r->operation_id));
	return error_set(&r->error, ERR_BUSY,
			 "operation %s (%s) is not finished", o->id,
			 domain_action_word(o->action));
}

/* Who waits for a guest gives way to who ends it. */
static int give_way(struct db *db, struct operation *o, struct refusal *r)
{
	o->state = OPERATION_FAILED;
	o->finished_wall_ms = wall_now_ms();
	o->deadline_wall_ms = 0;
	snprintf(o->problem_code, sizeof(o->problem_code), "superseded");
	snprintf(o->problem, sizeof(o->problem),
		 "the domain was destroyed before it had ended");
	if (operation_save(db, o, &r->error) ||
	    journal_end(db, o->id, "superseded", &r->error) ||
	    announce_operation(db, o, &r->error))
		return refuse_error(r);
	return 0;
}

/* That nothing else is done to it, and that this may be. */
static int check_free(struct db *db, const struct domain *d,
		      enum domain_action a, struct refusal *r)
{
	struct operation open;

	if (operation_open(db, d->id, &open, &r->error) == 0) {
		if (a != ACTION_DESTROY || !open.deadline_wall_ms)
			return refuse_busy(r, &open);
		if (give_way(db, &open, r))
			return -1;
	} else if (r->error.code != ERR_NOT_FOUND) {
		return refuse_error(r);
	}
	return domain_action_legal(a, d->state) ? 0 : refuse_state(r, d, a);
}

int request_action(struct db *db, const struct requester *by,
		   const struct target *t, enum domain_action a,
		   struct request_answer *out, struct refusal *r)
{
	struct domain *d = &out->domain;

	if (find(db, by, t, d, r) || check_free(db, d, a, r) ||
	    (a == ACTION_START && request_volumes_at_rest(db, d, r)))
		return -1;
	operation_for(&out->operation, d, a, by);
	if (operation_insert(db, &out->operation, &r->error))
		return refuse_error(r);
	return 0;
}

static int refuse_fixed(struct refusal *r, const struct domain *d,
			const char *field)
{
	r->kind = REFUSED_FIXED;
	r->state = d->state;
	snprintf(r->field, sizeof(r->field), "%s", field);
	return error_set(&r->error, ERR_INVALID,
			 "%s cannot be changed while the domain is %s", field,
			 domain_state_word(d->state));
}

/* What a running domain was built with stays as it is. */
static int check_changes(const struct domain *d, const struct domain_spec *new,
			 struct refusal *r)
{
	const struct domain_spec *old = &d->spec;
	bool running = d->state == DOMAIN_RUNNING || d->state == DOMAIN_PAUSED;

	if (!running)
		return 0;
	if (new->memory_bytes != old->memory_bytes)
		return refuse_fixed(r, d, "/memory_bytes");
	if (new->vcpus != old->vcpus)
		return refuse_fixed(r, d, "/vcpus");
	if (strcmp(new->kernel, old->kernel) != 0)
		return refuse_fixed(r, d, "/kernel");
	if (strcmp(new->ramdisk, old->ramdisk) != 0)
		return refuse_fixed(r, d, "/ramdisk");
	if (strcmp(new->command, old->command) != 0)
		return refuse_fixed(r, d, "/command");
	return 0;
}

int request_update(struct db *db, const struct requester *by,
		   const struct capacity *c, const struct target *t,
		   const struct domain_spec *spec, struct request_answer *out,
		   struct refusal *r)
{
	struct domain *d = &out->domain;
	bool more;

	if (find(db, by, t, d, r) || check_free(db, d, ACTION_UPDATE, r) ||
	    check_changes(d, spec, r))
		return -1;
	/* Who asks for no more keeps what it was let in on, even if the node
	 * has less by now. */
	more = spec->memory_bytes > d->spec.memory_bytes ||
	       spec->cpu_reservation_permille >
		       d->spec.cpu_reservation_permille;
	d->spec = *spec;
	operation_for(&out->operation, d, ACTION_UPDATE, by);
	if (more && admit(db, c, d, r))
		return -1;
	if (domain_save(db, d, &r->error)) {
		if (r->error.code == ERR_EXISTS)
			error_fill(&r->error, ERR_EXISTS,
				   "there is a domain named %s already",
				   d->spec.name);
		return refuse_error(r);
	}
	if ((more &&
	     verdict_save(db, d->id, &r->admission.verdict, &r->error)) ||
	    operation_insert(db, &out->operation, &r->error))
		return refuse_error(r);
	return 0;
}
