// SPDX-License-Identifier: Apache-2.0
/* See requests.h: what may be asked of volumes, and of domains about theirs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "orchestrate/requests.h"
#include "store/domain_rows.h"
#include "store/event_rows.h"
#include "store/operation_rows.h"
#include "store/volume_rows.h"
#include "util/clock.h"

int announce_volume(struct db *db, const struct volume *v,
		    const struct operation *o, struct error *err)
{
	const char *word = volume_state_word(v->state);
	struct event e = { .id = 0 };

	snprintf(e.type, sizeof(e.type), "volume.%s", word);
	snprintf(e.tenant, sizeof(e.tenant), "%s", v->tenant);
	snprintf(e.subject, sizeof(e.subject), "%s", v->id);
	snprintf(e.state, sizeof(e.state), "%s", word);
	snprintf(e.actor, sizeof(e.actor), "%s", o->actor);
	snprintf(e.operation_id, sizeof(e.operation_id), "%s", o->id);
	snprintf(e.request_id, sizeof(e.request_id), "%s", o->request_id);
	return event_add(db, &e, err);
}

/* Room for it, besides all others. */
static int admit(struct db *db, const struct capacity *c,
		 const struct volume *v, struct refusal *r)
{
	struct claims claims;

	if (domain_claims(db, v->id, &claims, &r->error))
		return refuse_error(r);
	admission_decide_volume(&r->admission, c, &claims, v->claim_bytes);
	if (r->admission.admitted)
		return 0;
	r->kind = REFUSED_CAPACITY;
	r->error.code = ERR_NO_MEMORY;
	admission_refusal_text(r->error.message, sizeof(r->error.message),
			       &r->admission);
	return -1;
}

static int write_down(struct db *db, const struct requester *by,
		      enum domain_action a, struct volume_answer *out,
		      struct refusal *r)
{
	const struct volume *v = &out->volume;

	make_operation(&out->operation, a, v->id, v->tenant, by);
	if (operation_insert(db, &out->operation, &r->error) ||
	    announce_volume(db, v, &out->operation, &r->error))
		return refuse_error(r);
	return 0;
}

int request_volume_create(struct db *db, const struct requester *by,
			  const struct capacity *c,
			  const struct volume_creation *what,
			  struct volume_answer *out, struct refusal *r)
{
	struct volume *v = &out->volume;

	memset(v, 0, sizeof(*v));
	id_make(v->id, "vol");
	snprintf(v->tenant, sizeof(v->tenant), "%s", what->tenant);
	snprintf(v->name, sizeof(v->name), "%s", what->name);
	snprintf(v->image, sizeof(v->image), "%s", what->image);
	v->version = 1;
	v->state = VOLUME_CREATING;
	v->bytes = v->claim_bytes = what->bytes;
	v->created_wall_ms = v->updated_wall_ms = wall_now_ms();
	if (volume_insert(db, v, &r->error)) {
		if (r->error.code == ERR_EXISTS)
			error_fill(&r->error, ERR_EXISTS,
				   "there is a volume named %s already",
				   v->name);
		return refuse_error(r);
	}
	return admit(db, c, v, r) ? -1
				  : write_down(db, by, ACTION_CREATE, out, r);
}

static int refuse_in_use(struct refusal *r, const struct volume *v)
{
	r->kind = REFUSED_IN_USE;
	*r->field = '\0';
	return error_set(&r->error, ERR_BUSY, "%s is %s %s of %s", v->name,
			 v->owned ? "the own disk" : "the disk", v->device,
			 v->domain_id);
}

/* Finds it, as the asker believes it to be, and that nothing is done to it. */
static int find(struct db *db, const struct requester *by,
		const struct target *t, struct volume *v, struct refusal *r)
{
	struct operation open;

	if (volume_find(db, by->tenant, t->domain, v, &r->error))
		return refuse_error(r);
	if (t->version != ANY_VERSION && t->version != v->version) {
		r->kind = REFUSED_VERSION;
		r->version = v->version;
		return error_set(&r->error, ERR_BUSY,
				 "its version is %lld, not %lld",
				 (long long)v->version, (long long)t->version);
	}
	if (operation_open(db, v->id, &open, &r->error) == 0)
		return refuse_busy(r, &open);
	return r->error.code == ERR_NOT_FOUND ? 0 : refuse_error(r);
}

/* The domain has to be at rest, and nobody may be about to start it. */
static int check_domain(struct db *db, const struct volume *v,
			struct refusal *r)
{
	struct operation open;
	struct domain d;

	if (domain_find(db, NULL, v->domain_id, &d, &r->error))
		return refuse_error(r);
	if (operation_open(db, d.id, &open, &r->error) == 0)
		return refuse_busy(r, &open);
	if (r->error.code != ERR_NOT_FOUND)
		return refuse_error(r);
	if (d.state == DOMAIN_DEFINED || d.state == DOMAIN_STOPPED ||
	    d.state == DOMAIN_CRASHED)
		return 0;
	refuse_in_use(r, v);
	return error_set(&r->error, ERR_BUSY, "%s is a disk of %s, which is %s",
			 v->name, d.id, domain_state_word(d.state));
}

int request_volume_grow(struct db *db, const struct requester *by,
			const struct capacity *c, const struct target *t,
			uint64_t bytes, struct volume_answer *out,
			struct refusal *r)
{
	struct volume *v = &out->volume;

	if (find(db, by, t, v, r))
		return -1;
	if (v->owned)
		return refuse_in_use(r, v);
	if (*v->domain_id && check_domain(db, v, r))
		return -1;
	if (bytes < v->bytes) {
		r->kind = REFUSED_INVALID;
		snprintf(r->field, sizeof(r->field), "/size_bytes");
		snprintf(r->value, sizeof(r->value), "%" PRIu64, bytes);
		snprintf(r->limit, sizeof(r->limit), "at least %" PRIu64,
			 v->bytes);
		return error_set(&r->error, ERR_INVALID, "it does not shrink");
	}
	v->claim_bytes = bytes;
	v->state = VOLUME_GROWING;
	if (admit(db, c, v, r))
		return -1;
	if (volume_save(db, v, &r->error))
		return refuse_error(r);
	return write_down(db, by, ACTION_UPDATE, out, r);
}

int request_volume_delete(struct db *db, const struct requester *by,
			  const struct target *t, struct volume_answer *out,
			  struct refusal *r)
{
	struct volume *v = &out->volume;

	if (find(db, by, t, v, r))
		return -1;
	if (*v->domain_id)
		return refuse_in_use(r, v);
	v->state = VOLUME_DELETING;
	if (volume_save(db, v, &r->error))
		return refuse_error(r);
	return write_down(db, by, ACTION_DELETE, out, r);
}

/* Named by the field of a new domain. */
static int attach(struct db *db, struct domain *d, unsigned int i,
		  struct refusal *r)
{
	struct disk_spec *disk = &d->spec.disks[i];
	struct volume v;

	snprintf(r->field, sizeof(r->field), "/disks/%u/volume", i);
	if (volume_find(db, d->tenant, disk->volume, &v, &r->error)) {
		if (r->error.code != ERR_NOT_FOUND)
			return refuse_error(r);
		r->kind = REFUSED_INVALID;
		snprintf(r->value, sizeof(r->value), "%s", disk->volume);
		snprintf(r->limit, sizeof(r->limit),
			 "a volume of the domain's tenant");
		return -1;
	}
	r->kind = REFUSED_IN_USE;
	if (v.state != VOLUME_AVAILABLE)
		return error_set(&r->error, ERR_BUSY, "%s is %s", v.name,
				 volume_state_word(v.state));
	if (*v.domain_id)
		return error_set(&r->error, ERR_BUSY, "%s is a disk of %s",
				 v.name, v.domain_id);
	for (unsigned int j = 0; j < i; j++)
		if (strcmp(d->spec.disks[j].volume, v.id) == 0)
			return error_set(&r->error, ERR_BUSY,
					 "%s is /disks/%u already", v.name, j);
	snprintf(disk->volume, sizeof(disk->volume), "%s", v.id);
	disk->size_bytes = v.bytes;
	return 0;
}

int request_attach(struct db *db, struct domain *d, struct refusal *r)
{
	for (unsigned int i = 0; i < d->spec.disk_count; i++)
		if (*d->spec.disks[i].volume && attach(db, d, i, r))
			return -1;
	return 0;
}

int request_volumes_at_rest(struct db *db, const struct domain *d,
			    struct refusal *r)
{
	struct operation open;

	for (unsigned int i = 0; i < d->spec.disk_count; i++) {
		if (!*d->spec.disks[i].volume)
			continue;
		if (operation_open(db, d->spec.disks[i].volume, &open,
				   &r->error) == 0)
			return refuse_busy(r, &open);
		if (r->error.code != ERR_NOT_FOUND)
			return refuse_error(r);
	}
	return 0;
}
