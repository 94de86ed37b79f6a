// SPDX-License-Identifier: Apache-2.0
/* See json_write.h. */
#include "api/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "admission/admission.h"
#include "store/operation_rows.h"

json_t *text_json(const char *text)
{
	json_t *j = json_string(text);

	for (size_t length = strlen(text); !j; length--)
		j = json_stringn(text, length);
	return j;
}

json_t *time_json(int64_t wall_ms)
{
	time_t seconds = wall_ms / 1000;
	char text[32];
	struct tm tm;

	if (!wall_ms)
		return json_null();
	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return json_sprintf("%s.%03dZ", text, (int)(wall_ms % 1000));
}

json_t *actions_json(enum domain_state s)
{
	json_t *list = json_array();

	for (unsigned int a = ACTION_START; a < DOMAIN_ACTIONS; a++)
		if (domain_action_legal(a, s))
			json_array_append_new(
				list, json_string(domain_action_word(a)));
	return list;
}

json_t *verdict_json(const struct verdict *v)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < RESOURCES; i++) {
		const struct inequality *q = &v->list[i];
		char test[160];

		inequality_text(test, sizeof(test), i, q);
		json_array_append_new(
			list, json_pack("{ss sI sI sI ss}", "resource",
					resource_word(i), "claimed",
					(json_int_t)q->claimed, "requested",
					(json_int_t)q->requested, "limit",
					(json_int_t)q->limit, "test", test));
	}
	return list;
}

static json_t *disks_json(const struct domain_spec *s)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < s->disk_count; i++) {
		const struct disk_spec *d = &s->disks[i];

		json_t *json =
			json_pack("{ss sb sI ss}", "device", d->device,
				  "writable", d->writable, "size_bytes",
				  (json_int_t)d->size_bytes, "image", d->image);

		if (*d->volume)
			json_object_set_new(json, "volume",
					    json_string(d->volume));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *nics_json(const struct domain_spec *s)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < s->nic_count; i++) {
		const struct nic_spec *n = &s->nics[i];
		json_t *addresses = json_array();

		for (unsigned int j = 0; j < n->address_count; j++)
			json_array_append_new(addresses,
					      json_string(n->addresses[j]));
		json_array_append_new(list, json_pack("{ss so}", "mac", n->mac,
						      "addresses", addresses));
	}
	return list;
}

static json_t *labels_json(const struct domain_spec *s)
{
	json_t *all = json_object();

	for (unsigned int i = 0; i < s->label_count; i++)
		json_object_set_new(all, s->labels[i].key,
				    json_string(s->labels[i].value));
	return all;
}

static json_t *spec_json(const struct domain_spec *s)
{
	return json_pack("{ss ss ss ss sI si si si ss ss ss so so so}", "name",
			 s->name, "kernel", s->kernel, "ramdisk", s->ramdisk,
			 "command", s->command, "memory_bytes",
			 (json_int_t)s->memory_bytes, "vcpus", (int)s->vcpus,
			 "cpu_reservation_permille",
			 (int)s->cpu_reservation_permille, "cpu_cap_permille",
			 (int)s->cpu_cap_permille, "on_poweroff",
			 end_action_word(s->on_poweroff), "on_reboot",
			 end_action_word(s->on_reboot), "on_crash",
			 end_action_word(s->on_crash), "disks", disks_json(s),
			 "nics", nics_json(s), "labels", labels_json(s));
}

json_t *domain_json(const struct domain *d, const struct verdict *v)
{
	json_t *all = json_pack(
		"{ss ss sI ss so so so so so}", "id", d->id, "tenant",
		d->tenant, "version", (json_int_t)d->version, "state",
		domain_state_word(d->state), "reason", text_json(d->reason),
		"created_at", time_json(d->created_wall_ms), "updated_at",
		time_json(d->updated_wall_ms), "started_at",
		time_json(d->started_wall_ms), "allowed_actions",
		actions_json(d->state));

	json_object_set_new(all, "number",
			    d->number ? json_integer(d->number) : json_null());
	json_object_set_new(all, "admission", verdict_json(v));
	json_object_update_new(all, spec_json(&d->spec));
	return all;
}

json_t *operation_json(const struct operation *o)
{
	bool volume = is_volume_id(o->domain_id);
	json_t *problem = json_null();

	if (*o->problem_code)
		problem = json_pack("{ss so}", "code", o->problem_code,
				    "detail", text_json(o->problem));
	return json_pack(
		"{ss so so ss ss ss ss so so so so}", "id", o->id, "kind",
		json_sprintf("%s.%s", volume ? "volume" : "domain",
			     domain_action_word(o->action)),
		"target",
		json_sprintf("/v1/%s/%s", volume ? "volumes" : "domains",
			     o->domain_id),
		"tenant", o->tenant, "state", operation_state_word(o->state),
		"actor", o->actor, "request_id", o->request_id, "created_at",
		time_json(o->created_wall_ms), "started_at",
		time_json(o->started_wall_ms), "finished_at",
		time_json(o->finished_wall_ms), "problem", problem);
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

json_t *volume_json(const struct volume *v)
{
	return json_pack(
		"{ss ss ss sI ss sI ss so so sb so so}", "id", v->id, "tenant",
		v->tenant, "name", v->name, "version", (json_int_t)v->version,
		"state", volume_state_word(v->state), "size_bytes",
		(json_int_t)v->bytes, "image", v->image, "domain",
		text_or_null(v->domain_id), "device", text_or_null(v->device),
		"owned", v->owned, "created_at", time_json(v->created_wall_ms),
		"updated_at", time_json(v->updated_wall_ms));
}

json_t *event_json(const struct event *e)
{
	return json_pack("{sI so ss ss ss ss ss ss ss so}", "id",
			 (json_int_t)e->id, "time", time_json(e->at_wall_ms),
			 "type", e->type, "tenant", e->tenant, "subject",
			 e->subject, "operation", e->operation_id, "request_id",
			 e->request_id, "actor", e->actor, "state", e->state,
			 "message", text_json(e->message));
}

json_t *token_json(const struct token *t)
{
	return json_pack("{ss ss ss so so so}", "id", t->id, "role",
			 role_word(t->role), "tenant", t->tenant, "description",
			 text_json(t->description), "created_at",
			 time_json(t->created_wall_ms), "expires_at",
			 time_json(t->expires_wall_ms));
}

void answer_json(struct answer *a, int status, json_t *document)
{
	a->status = status;
	a->type = "application/json";
	free(a->text);
	a->text = json_dumps(document, JSON_COMPACT);
	json_decref(document);
}

void answer_page(struct request *r, struct answer *a, json_t *items,
		 const char *next)
{
	if (*next)
		snprintf(a->link, sizeof(a->link),
			 "<%s?cursor=%s>; rel=\"next\"", r->path, next);
	answer_json(a, 200,
		    json_pack("{so so}", "items", items, "next",
			      *next ? json_string(next) : json_null()));
}
