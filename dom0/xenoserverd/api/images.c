// SPDX-License-Identifier: Apache-2.0
/*
 * /v1/images: the operator's files. Those who use them are in the store; what
 * they are is what the folders have. An upload goes to the disk as it comes,
 * and what takes time at its end is done at the desk.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/desk.h"
#include "api/image_cache.h"
#include "api/json_write.h"
#include "api/page.h"
#include "api/problem.h"
#include "api/request.h"
#include "store/event_rows.h"
#include "store/image_rows.h"
#include "util/clock.h"
#include "util/log.h"

#define OCTETS "application/octet-stream"

static const char *folder_of(const struct request *r, enum image_kind kind)
{
	return r->api->options.image_folders[kind];
}

/* -1: the answer says what is wrong. */
static int read_kind(struct request *r, struct answer *a, enum image_kind *out)
{
	const char *text = request_query(r, "kind");

	*out = IMAGE_DISK;
	if (!text || image_kind_parse(out, text))
		return 0;
	answer_problem(r, a, PROBLEM_MALFORMED,
		       json_pack("{ss so ss}", "parameter", "kind", "value",
				 text_json(text), "limit", "boot or disk"),
		       "kind has to be boot or disk");
	return -1;
}

static int find(struct request *r, enum image_kind kind, struct image *out,
		struct error *err)
{
	if (!folder_of(r, kind))
		return error_set(err, ERR_NOT_FOUND, "no image %s",
				 r->words[0]);
	return image_find(folder_of(r, kind), r->words[0], out, err);
}

/* Of another file, it is another. */
static void make_etag(char *out, size_t size, const struct image *i)
{
	const uint64_t parts[] = { i->bytes, (uint64_t)i->modified_ns,
				   i->inode };
	uint64_t h = 0xcbf29ce484222325;

	for (size_t p = 0; p < 3; p++)
		for (int shift = 0; shift < 64; shift += 8)
			h = (h ^ (parts[p] >> shift & 0xff)) * 0x100000001b3;
	snprintf(out, size, "\"%016" PRIx64 "\"", h);
}

/* NULL: the store has failed. */
static json_t *image_json(struct request *r, enum image_kind kind,
			  const struct image *i, bool *digested,
			  struct error *err)
{
	char digest[DIGEST_MAX];
	int in_use = image_in_use(r->db, kind, i->name, err);

	*digested = image_cache_digest(r->api->image_cache, kind, i, digest);
	if (in_use < 0)
		return NULL;
	return json_pack("{ss ss sI so so sb}", "name", i->name, "kind",
			 image_kind_word(kind), "size_bytes",
			 (json_int_t)i->bytes, "modified_at",
			 time_json(i->modified_ns / 1000000), "sha256",
			 *digested ? json_string(digest) : json_null(),
			 "in_use", in_use);
}

static int add_folder(struct request *r, struct page *p, enum image_kind kind,
		      struct error *err)
{
	struct image *list = NULL;
	int count = 0;
	int rc = 0;

	if (folder_of(r, kind))
		count = images_list(folder_of(r, kind), &list, err);
	if (count < 0)
		return -1;
	for (int i = 0; rc == 0 && i < count && !p->more; i++) {
		char cursor[PAGE_CURSOR_MAX];
		json_t *json;
		bool digested;

		snprintf(cursor, sizeof(cursor), "%s.%s", image_kind_word(kind),
			 list[i].name);
		if (p->cursor && strcmp(cursor, p->cursor) <= 0)
			continue;
		json = image_json(r, kind, &list[i], &digested, err);
		if (json)
			page_add(p, cursor, json);
		rc = json ? 0 : -1;
	}
	free(list);
	return rc;
}

void images_list_get(struct request *r, struct answer *a)
{
	bool one = request_query(r, "kind");
	enum image_kind only;
	struct page p;
	struct error err;
	int rc = 0;

	if (read_kind(r, a, &only) || page_open_names(&p, r, a))
		return;
	for (unsigned int k = 0; rc == 0 && k < IMAGE_KINDS; k++)
		if (!one || k == only)
			rc = add_folder(r, &p, k, &err);
	page_close(&p, r, a, rc, &err);
}

static void answer_image(struct request *r, struct answer *a, int status,
			 enum image_kind kind, const struct image *i,
			 bool *digested)
{
	struct error err;
	json_t *json = image_json(r, kind, i, digested, &err);

	if (!json) {
		answer_error(r, a, &err);
		return;
	}
	make_etag(a->etag, sizeof(a->etag), i);
	answer_json(a, status, json);
}

void images_get(struct request *r, struct answer *a)
{
	long wait_s = read_wait_s(r, a);
	enum image_kind kind;
	struct image i;
	struct error err;
	bool digested;

	if (wait_s < 0 || read_kind(r, a, &kind))
		return;
	if (find(r, kind, &i, &err)) {
		answer_error(r, a, &err);
		return;
	}
	answer_image(r, a, 200, kind, &i, &digested);
	if (!digested)
		a->wait_until_ms = r->started_ms + wait_s * 1000;
}

/* ---- what changes them ---- */

static int announce(struct db *db, const char *type, const char *actor,
		    const char *request_id, const char *name, struct error *err)
{
	struct event e = { .id = 0 };

	snprintf(e.type, sizeof(e.type), "%s", type);
	snprintf(e.actor, sizeof(e.actor), "%s", actor);
	snprintf(e.request_id, sizeof(e.request_id), "%s", request_id);
	snprintf(e.message, sizeof(e.message), "%s", name);
	return event_add(db, &e, err);
}

/* What the file has to be for the request to be done. */
struct condition {
	bool absent;
	char etag[24]; /* "": any; "*": there has to be one */
};

static void read_condition(const struct request *r, struct condition *c)
{
	const char *match = request_header(r, "If-Match");
	const char *none = request_header(r, "If-None-Match");

	c->absent = none && strcmp(none, "*") == 0;
	snprintf(c->etag, sizeof(c->etag), "%s", match ? match : "");
}

/* now NULL: there is none. */
static bool holds(const struct condition *c, const struct image *now)
{
	char etag[24] = "";

	if (now)
		make_etag(etag, sizeof(etag), now);
	if (c->absent)
		return !now;
	return !*c->etag || (now && strcmp(c->etag, "*") == 0) ||
	       strcmp(c->etag, etag) == 0;
}

static void refuse_condition(const struct request *r, struct answer *a,
			     const struct condition *c)
{
	answer_problem(r, a, PROBLEM_VERSION, NULL,
		       c->absent ? "there is one of that name"
				 : "it is not the one that was read");
}

static int check_condition(struct request *r, struct answer *a,
			   enum image_kind kind)
{
	struct condition c;
	struct image i;
	struct error err;

	read_condition(r, &c);
	if (holds(&c, find(r, kind, &i, &err) ? NULL : &i))
		return 0;
	refuse_condition(r, a, &c);
	return -1;
}

void images_delete(struct request *r, struct answer *a)
{
	enum image_kind kind;
	struct image i;
	struct error err;
	int in_use;

	if (read_kind(r, a, &kind))
		return;
	if (find(r, kind, &i, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (check_condition(r, a, kind))
		return;
	in_use = image_in_use(r->db, kind, i.name, &err);
	if (in_use > 0)
		answer_problem(r, a, PROBLEM_IN_USE, NULL, "%s is in use",
			       i.name);
	else if (in_use < 0 || image_remove(folder_of(r, kind), i.name, &err) ||
		 announce(r->db, "image.deleted", r->caller.actor, r->id,
			  i.name, &err))
		answer_error(r, a, &err);
	else
		a->status = 204;
}

/* ---- uploads ---- */

static void answer_upload_error(const struct request *r, struct answer *a,
				const struct error *err)
{
	if (err->code == ERR_NO_MEMORY)
		answer_problem(r, a, PROBLEM_NO_SPACE, NULL,
			       "there is no room for %s", r->words[0]);
	else
		answer_error(r, a, err);
}

/* -1: the answer says what is wrong. */
static int check_type(struct request *r, struct answer *a)
{
	const char *type = request_header(r, "Content-Type");

	if (type && strcasecmp(type, OCTETS) == 0)
		return 0;
	answer_problem(r, a, PROBLEM_MEDIA_TYPE,
		       json_pack("{ss}", "accepted", OCTETS),
		       "Content-Type has to be " OCTETS);
	return -1;
}

static int check_length(struct request *r, struct answer *a, const char *folder)
{
	const char *text = request_header(r, "Content-Length");
	uint64_t bytes = text ? strtoull(text, NULL, 10) : 0;

	if (bytes > IMAGE_MOST_BYTES)
		answer_problem(r, a, PROBLEM_TOO_LARGE,
			       json_pack("{sI}", "limit",
					 (json_int_t)IMAGE_MOST_BYTES),
			       "an image has %llu bytes at most",
			       IMAGE_MOST_BYTES);
	else if (!images_have_room(folder, bytes))
		answer_problem(r, a, PROBLEM_NO_SPACE, NULL,
			       "there is no room for %s", r->words[0]);
	else
		return 0;
	return -1;
}

void images_put_head(struct request *r, struct answer *a)
{
	enum image_kind kind;
	struct error err;

	if (read_kind(r, a, &kind))
		return;
	if (!name_valid(r->words[0], SPEC_FILE_MAX - 1)) {
		answer_problem(r, a, PROBLEM_MALFORMED,
			       json_pack("{ss so ss}", "parameter", "image",
					 "value", text_json(r->words[0]),
					 "limit",
					 "1 to 63 letters, digits, . _ -, the "
					 "first a letter or digit"),
			       "this is no name of an image");
		return;
	}
	if (!folder_of(r, kind)) {
		error_fill(&err, ERR_NOT_FOUND, "no folder for this kind");
		answer_error(r, a, &err);
		return;
	}
	if (check_type(r, a) || check_length(r, a, folder_of(r, kind)) ||
	    check_condition(r, a, kind))
		return;
	if (!r->upload_error)
		r->upload_error = calloc(1, sizeof(*r->upload_error));
	if (!r->upload_error ||
	    image_upload_open(&r->upload, folder_of(r, kind), r->words[0],
			      r->id, &err)) {
		if (!r->upload_error)
			error_fill(&err, ERR_SYSTEM, "no memory");
		answer_upload_error(r, a, &err);
	}
}

void images_put_piece(struct request *r, const char *piece, size_t count)
{
	if (count > r->body_most)
		r->too_large = true;
	/* The rest of what has failed is read, and forgotten. */
	if (r->too_large || r->upload_error->code)
		return;
	r->body_most -= count;
	if (image_upload_write(r->upload, piece, count, r->upload_error))
		log_failure("op=image.put request=%s message=\"%s\"", r->id,
			    r->upload_error->message);
}

void images_put_forget(struct request *r)
{
	image_upload_close(r->upload);
	free(r->upload_error);
}

struct put_job {
	struct job job;
	struct image_upload *upload;
	enum image_kind kind;
	struct condition condition;
	char folder_name[SPEC_FILE_MAX], actor[ACTOR_MAX], request_id[ID_MAX];
	/* What came of it. */
	struct image image;
	bool refused, replaced;
	int rc;
	struct error err;
};

/* Its name, if it still may have it. */
static int give_name(struct put_job *p, struct api *api, char *digest)
{
	const char *folder = api->options.image_folders[p->kind];
	struct image old;
	struct error none;
	int rc = -1;

	image_names_lock(api->image_cache);
	p->replaced = image_find(folder, p->folder_name, &old, &none) == 0;
	p->refused = !holds(&p->condition, p->replaced ? &old : NULL);
	if (!p->refused)
		rc = image_upload_finish(p->upload, &p->image, digest, &p->err);
	image_names_unlock(api->image_cache);
	return rc;
}

static void finish_upload(struct job *j, struct api *api, struct db *db)
{
	struct put_job *p = (struct put_job *)j;
	char digest[DIGEST_MAX];

	p->rc = image_upload_sync(p->upload, &p->err) ||
		give_name(p, api, digest);
	if (p->rc)
		return;
	image_cache_put(api->image_cache, p->kind, &p->image, digest);
	p->rc = db_begin(db, &p->err) ||
		announce(db, "image.put", p->actor, p->request_id,
			 p->folder_name, &p->err) ||
		db_commit(db, &p->err);
	db_rollback(db);
}

static void discard(struct job *j)
{
	struct put_job *p = (struct put_job *)j;

	image_upload_close(p->upload);
	free(p);
}

static void submit(struct request *r, enum image_kind kind)
{
	struct put_job *p = calloc(1, sizeof(*p));

	if (!p)
		return;
	p->job.perform = finish_upload;
	p->job.discard = discard;
	p->upload = r->upload;
	r->upload = NULL;
	p->kind = kind;
	read_condition(r, &p->condition);
	memcpy(p->folder_name, r->words[0], sizeof(p->folder_name));
	memcpy(p->actor, r->caller.actor, sizeof(p->actor));
	memcpy(p->request_id, r->id, sizeof(p->request_id));
	desk_submit(r, &p->job);
}

static void answer_put(struct request *r, struct answer *a)
{
	struct put_job *p = (struct put_job *)r->job;
	bool digested;

	if (p->refused) {
		refuse_condition(r, a, &p->condition);
		return;
	}
	if (p->rc) {
		answer_upload_error(r, a, &p->err);
		return;
	}
	answer_image(r, a, p->replaced ? 200 : 201, p->kind, &p->image,
		     &digested);
	if (a->status == 201)
		snprintf(a->location, sizeof(a->location), "/v1/images/%s",
			 p->folder_name);
}

void images_put(struct request *r, struct answer *a)
{
	enum image_kind kind;

	if (read_kind(r, a, &kind))
		return;
	if (!r->upload && !r->job) {
		/* It was refused, and what was wrong is so still. */
		images_put_head(r, a);
		if (!a->status)
			answer_problem(r, a, PROBLEM_STORE_BUSY, NULL,
				       "what was in the way is gone");
		return;
	}
	if (r->upload_error->code) {
		answer_upload_error(r, a, r->upload_error);
		return;
	}
	if (!r->job)
		submit(r, kind);
	if (!r->job) {
		error_fill(r->upload_error, ERR_SYSTEM, "no memory");
		answer_error(r, a, r->upload_error);
	} else if (desk_await(r, a)) {
		answer_put(r, a);
	}
}
