// SPDX-License-Identifier: Apache-2.0
/* See json_read.h. A field is a row of a table: where it goes and what it may
 * be. What is between limits is the model's to say; here it is about types and
 * what fits at all. */
#include "api/json_read.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"

struct field {
	const char *key;
	void (*read)(const struct field *f, json_t *value, void *out,
		     const char *at, struct violations *v);
	size_t offset, size;
	bool fixed; /* cannot be patched */
};

#define FIELD(type, name) offsetof(type, name), sizeof(((type *)0)->name)

/* at: the path of the object, "" for the whole. */
static void wrong(struct violations *v, json_t *value, const char *limit,
		  const char *at, const char *key)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					       JSON_ENSURE_ASCII);

	violation_add(v, text ? text : "", limit, "%s/%.60s", at, key);
	free(text);
}

static void read_text(const struct field *f, json_t *value, void *out,
		      const char *at, struct violations *v)
{
	char limit[48];

	snprintf(limit, sizeof(limit), "a string of up to %zu bytes",
		 f->size - 1);
	if (!json_is_string(value) || json_string_length(value) >= f->size)
		wrong(v, value, limit, at, f->key);
	else
		snprintf((char *)out + f->offset, f->size, "%s",
			 json_string_value(value));
}

static void read_u64(const struct field *f, json_t *value, void *out,
		     const char *at, struct violations *v)
{
	uint64_t number = (uint64_t)json_integer_value(value);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		wrong(v, value, "a whole number, not negative", at, f->key);
	else
		memcpy((char *)out + f->offset, &number, sizeof(number));
}

static void read_u32(const struct field *f, json_t *value, void *out,
		     const char *at, struct violations *v)
{
	json_int_t wide = json_integer_value(value);
	uint32_t number = (uint32_t)wide;

	if (!json_is_integer(value) || wide < 0 || wide > INT32_MAX)
		wrong(v, value, "a whole number from 0 to 2147483647", at,
		      f->key);
	else
		memcpy((char *)out + f->offset, &number, sizeof(number));
}

static void read_bool(const struct field *f, json_t *value, void *out,
		      const char *at, struct violations *v)
{
	bool is = json_is_true(value);

	if (!json_is_boolean(value))
		wrong(v, value, "true or false", at, f->key);
	else
		memcpy((char *)out + f->offset, &is, sizeof(is));
}

static void read_end(const struct field *f, json_t *value, void *out,
		     const char *at, struct violations *v)
{
	enum end_action action;

	if (!json_is_string(value) ||
	    !end_action_parse(&action, json_string_value(value)))
		wrong(v, value, "destroy, restart or preserve", at, f->key);
	else
		memcpy((char *)out + f->offset, &action, sizeof(action));
}

static void read_role(const struct field *f, json_t *value, void *out,
		      const char *at, struct violations *v)
{
	enum role role;

	if (!json_is_string(value) ||
	    !role_parse(&role, json_string_value(value)))
		wrong(v, value, "operator or tenant", at, f->key);
	else
		memcpy((char *)out + f->offset, &role, sizeof(role));
}

/* All members of an object by a table that ends with a key NULL. */
static void read_object(const struct field *table, json_t *object, void *out,
			const char *at, bool patch, struct violations *v)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
	{
		const struct field *f = table;

		while (f->key && strcmp(f->key, key) != 0)
			f++;
		if (!f->key)
			wrong(v, value, "left out: there is no such field", at,
			      key);
		else if (patch && f->fixed)
			wrong(v, value, "left out: it never changes", at, key);
		else
			f->read(f, value, out, at, v);
	}
}

static void need(json_t *object, const char *key, const char *limit,
		 const char *at, struct violations *v)
{
	if (!json_object_get(object, key))
		violation_add(v, "missing", limit, "%s/%s", at, key);
}

static const struct field disk_fields[] = {
	{ "device", read_text, FIELD(struct disk_spec, device), false },
	{ "writable", read_bool, FIELD(struct disk_spec, writable), false },
	{ "size_bytes", read_u64, FIELD(struct disk_spec, size_bytes), false },
	{ "image", read_text, FIELD(struct disk_spec, image), false },
	{ "volume", read_text, FIELD(struct disk_spec, volume), false },
	{ NULL, NULL, 0, 0, false },
};

static void read_disks(const struct field *f, json_t *value, void *out,
		       const char *at, struct violations *v)
{
	struct domain_spec *s = out;
	size_t count = json_array_size(value);

	if (!json_is_array(value) || count > CONFIG_DISKS_MAX) {
		wrong(v, value, "a list of up to 16 disks", at, f->key);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		json_t *disk = json_array_get(value, i);
		char path[32];

		snprintf(path, sizeof(path), "/disks/%zu", i);
		s->disks[i].writable = true;
		if (!json_is_object(disk)) {
			wrong(v, disk, "an object", "/disks", path + 7);
			return;
		}
		s->disk_count = (unsigned int)i + 1;
		need(disk, "device", "given", path, v);
		if (!json_object_get(disk, "volume"))
			need(disk, "size_bytes", "given", path, v);
		else if (json_object_get(disk, "size_bytes"))
			wrong(v, json_object_get(disk, "size_bytes"),
			      "left out: the volume has its size", path,
			      "size_bytes");
		read_object(disk_fields, disk, &s->disks[i], path, false, v);
		if (json_object_get(disk, "volume") && !*s->disks[i].volume)
			violation_add(v, "\"\"", "the name or id of a volume",
				      "%s/volume", path);
	}
}

static void read_addresses(const struct field *f, json_t *value, void *out,
			   const char *at, struct violations *v)
{
	struct nic_spec *n = out;
	size_t count = json_array_size(value);

	if (!json_is_array(value) || count > CONFIG_ADDRESSES_MAX) {
		wrong(v, value, "a list of up to 8 addresses", at, f->key);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		json_t *address = json_array_get(value, i);

		if (!json_is_string(address) ||
		    json_string_length(address) >= SPEC_ADDRESS_MAX)
			wrong(v, address, "an IPv4 or IPv6 address", at,
			      f->key);
		else
			snprintf(n->addresses[i], SPEC_ADDRESS_MAX, "%s",
				 json_string_value(address));
	}
	n->address_count = (unsigned int)count;
}

static const struct field nic_fields[] = {
	{ "mac", read_text, FIELD(struct nic_spec, mac), false },
	{ "addresses", read_addresses, 0, 0, false },
	{ NULL, NULL, 0, 0, false },
};

static void read_nics(const struct field *f, json_t *value, void *out,
		      const char *at, struct violations *v)
{
	struct domain_spec *s = out;
	size_t count = json_array_size(value);

	if (!json_is_array(value) || count > CONFIG_VIFS_MAX) {
		wrong(v, value, "a list of up to 8 interfaces", at, f->key);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		json_t *nic = json_array_get(value, i);
		char path[32];

		snprintf(path, sizeof(path), "/nics/%zu", i);
		if (json_is_object(nic))
			read_object(nic_fields, nic, &s->nics[i], path, false,
				    v);
		else
			wrong(v, nic, "an object", "/nics", path + 6);
	}
	s->nic_count = (unsigned int)count;
}

static void remove_label(struct domain_spec *s, const char *key)
{
	for (unsigned int i = 0; i < s->label_count; i++)
		if (strcmp(s->labels[i].key, key) == 0) {
			s->labels[i] = s->labels[--s->label_count];
			return;
		}
}

/* Onto those that there are; null takes one away. */
static void read_labels(const struct field *f, json_t *value, void *out,
			const char *at, struct violations *v)
{
	struct domain_spec *s = out;
	const char *key;
	json_t *text;

	if (!json_is_object(value)) {
		wrong(v, value, "an object of strings", at, f->key);
		return;
	}
	json_object_foreach(value, key, text)
	{
		struct label *l;

		if ((!json_is_string(text) && !json_is_null(text)) ||
		    json_string_length(text) >= SPEC_LABEL_MAX ||
		    strlen(key) >= SPEC_LABEL_MAX) {
			wrong(v, text, "key and value of up to 63 bytes",
			      "/labels", key);
			continue;
		}
		remove_label(s, key);
		if (json_is_null(text))
			continue;
		if (s->label_count == SPEC_LABELS_MAX) {
			wrong(v, text, "one of at most 32 labels", "/labels",
			      key);
			return;
		}
		l = &s->labels[s->label_count++];
		snprintf(l->key, sizeof(l->key), "%s", key);
		snprintf(l->value, sizeof(l->value), "%s",
			 json_string_value(text));
	}
}

#define SPEC(name) FIELD(struct create_body, spec.name)

/* The specification is at the start of a create_body: one table for both. */
_Static_assert(offsetof(struct create_body, spec) == 0, "one table for both");

#define SPEC_FIELDS                                                            \
	{ "name", read_text, SPEC(name), false },                              \
		{ "kernel", read_text, SPEC(kernel), false },                  \
		{ "ramdisk", read_text, SPEC(ramdisk), false },                \
		{ "command", read_text, SPEC(command), false },                \
		{ "memory_bytes", read_u64, SPEC(memory_bytes), false },       \
		{ "vcpus", read_u32, SPEC(vcpus), false },                     \
		{ "cpu_reservation_permille", read_u32,                        \
		  SPEC(cpu_reservation_permille), false },                     \
		{ "cpu_cap_permille", read_u32, SPEC(cpu_cap_permille),        \
		  false },                                                     \
		{ "on_poweroff", read_end, SPEC(on_poweroff), false },         \
		{ "on_reboot", read_end, SPEC(on_reboot), false },             \
		{ "on_crash", read_end, SPEC(on_crash), false },               \
		{ "disks", read_disks, 0, 0, true },                           \
		{ "nics", read_nics, 0, 0, true },                             \
	{                                                                      \
		"labels", read_labels, 0, 0, false                             \
	}

static const struct field patch_fields[] = {
	SPEC_FIELDS,
	{ NULL, NULL, 0, 0, false },
};

static const struct field create_fields[] = {
	SPEC_FIELDS,
	{ "start", read_bool, FIELD(struct create_body, start), false },
	{ "tenant", read_text, FIELD(struct create_body, tenant), false },
	{ NULL, NULL, 0, 0, false },
};

static const struct field token_fields[] = {
	{ "role", read_role, FIELD(struct token_body, role), false },
	{ "tenant", read_text, FIELD(struct token_body, tenant), false },
	{ "description", read_text, FIELD(struct token_body, description),
	  false },
	{ "expires_in_s", read_u64, FIELD(struct token_body, expires_in_s),
	  false },
	{ NULL, NULL, 0, 0, false },
};

void read_create(json_t *body, struct create_body *out, struct violations *v)
{
	memset(out, 0, sizeof(*out));
	domain_spec_default(&out->spec);
	out->start = true;
	need(body, "name", "given", "", v);
	need(body, "kernel", "given", "", v);
	need(body, "memory_bytes", "given", "", v);
	read_object(create_fields, body, out, "", false, v);
	domain_spec_check(&out->spec, v);
	if (*out->tenant && !name_valid(out->tenant, TENANT_MAX - 1))
		violation_add(v, out->tenant,
			      "letters, digits, . _ -, the first a letter or "
			      "digit",
			      "/tenant");
}

void read_patch(json_t *body, struct domain_spec *spec, struct violations *v)
{
	read_object(patch_fields, body, spec, "", true, v);
	domain_spec_check(spec, v);
}

static const struct field volume_fields[] = {
	{ "name", read_text, FIELD(struct volume_body, name), true },
	{ "image", read_text, FIELD(struct volume_body, image), true },
	{ "tenant", read_text, FIELD(struct volume_body, tenant), true },
	{ "size_bytes", read_u64, FIELD(struct volume_body, size_bytes),
	  false },
	{ NULL, NULL, 0, 0, false },
};

static void check_volume(const struct volume_body *b, struct violations *v)
{
	if (b->size_bytes < SPEC_DISK_LEAST || b->size_bytes > SPEC_DISK_MOST)
		violation_add_number(v, (long long)b->size_bytes,
				     "1048576 to 70368744177664",
				     "/size_bytes");
	if (b->size_bytes % 512)
		violation_add_number(v, (long long)b->size_bytes,
				     "a multiple of 512", "/size_bytes");
}

void read_volume_body(json_t *body, struct volume_body *out,
		      struct violations *v)
{
	static const char name_limit[] = "1 to 47 letters, digits, . _ -, the "
					 "first a letter or digit";

	memset(out, 0, sizeof(*out));
	need(body, "name", "given", "", v);
	need(body, "size_bytes", "given", "", v);
	read_object(volume_fields, body, out, "", false, v);
	if (!name_valid(out->name, CONFIG_NAME_MAX - 1))
		violation_add(v, out->name, name_limit, "/name");
	if (*out->tenant && !name_valid(out->tenant, TENANT_MAX - 1))
		violation_add(v, out->tenant, name_limit, "/tenant");
	if (*out->image && !name_valid(out->image, SPEC_FILE_MAX - 1))
		violation_add(v, out->image, "the name of an image", "/image");
	check_volume(out, v);
}

void read_volume_patch(json_t *body, struct volume_body *out,
		       struct violations *v)
{
	read_object(volume_fields, body, out, "", true, v);
	check_volume(out, v);
}

#define EXPIRES_LEAST_S 60
#define EXPIRES_MOST_S (3650LL * 24 * 3600)
#define EXPIRES_USUAL_S (90LL * 24 * 3600)

void read_token_body(json_t *body, struct token_body *out, struct violations *v)
{
	memset(out, 0, sizeof(*out));
	out->expires_in_s = EXPIRES_USUAL_S;
	need(body, "role", "operator or tenant", "", v);
	read_object(token_fields, body, out, "", false, v);
	if (v->count)
		return;
	if (out->role == ROLE_TENANT &&
	    !name_valid(out->tenant, TENANT_MAX - 1))
		violation_add(v, out->tenant,
			      "1 to 47 letters, digits, . _ -, the first a "
			      "letter or digit",
			      "/tenant");
	if (out->role == ROLE_OPERATOR && *out->tenant)
		violation_add(v, out->tenant,
			      "left out: an operator is of no tenant",
			      "/tenant");
	if (out->expires_in_s < EXPIRES_LEAST_S ||
	    out->expires_in_s > EXPIRES_MOST_S)
		violation_add_number(v, out->expires_in_s, "60 to 315360000",
				     "/expires_in_s");
}

bool media_type_is(const char *given, const char *type)
{
	size_t length = strlen(type);

	return given && strncasecmp(given, type, length) == 0 &&
	       (!given[length] || strchr("; ", given[length]));
}

json_t *read_body(struct request *r, struct answer *a, const char *type)
{
	const char *given = request_header(r, "Content-Type");
	json_error_t why;
	json_t *body;

	if (!media_type_is(given, type)) {
		answer_problem(r, a, PROBLEM_MEDIA_TYPE,
			       json_pack("{ss}", "accepted", type),
			       "Content-Type has to be %s", type);
		return NULL;
	}
	body = json_loadb(r->body.text ? r->body.text : "", r->body.length,
			  JSON_REJECT_DUPLICATES, &why);
	if (!body) {
		answer_problem(r, a, PROBLEM_MALFORMED, NULL,
			       "no JSON: line %d, column %d: %s", why.line,
			       why.column, why.text);
		return NULL;
	}
	if (!json_is_object(body)) {
		json_decref(body);
		answer_problem(r, a, PROBLEM_MALFORMED, NULL,
			       "the body has to be a JSON object");
		return NULL;
	}
	return body;
}
