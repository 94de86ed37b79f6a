// SPDX-License-Identifier: Apache-2.0
/* See device.h: what disks and interfaces have in common. */
#include "xenstore/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/log.h"

static const char *const kind_words[] = {
	[DEVICE_VBD] = "vbd",
	[DEVICE_VIF] = "vif",
};

void device_front(const struct device *d, char path[STORE_PATH_MAX])
{
	snprintf(path, STORE_PATH_MAX,
		 "/local/domain/%" PRIu32 "/device/%s/%" PRIu32, d->domain_id,
		 kind_words[d->kind], d->number);
}

void device_backs(enum device_kind kind, uint32_t domain_id,
		  char path[STORE_PATH_MAX])
{
	snprintf(path, STORE_PATH_MAX, "/local/domain/0/hvback/%s/%" PRIu32,
		 kind_words[kind], domain_id);
}

void device_back(const struct device *d, char path[STORE_PATH_MAX])
{
	snprintf(path, STORE_PATH_MAX,
		 "/local/domain/0/hvback/%s/%" PRIu32 "/%" PRIu32,
		 kind_words[d->kind], d->domain_id, d->number);
}

static void token_of(const struct device *d, char token[STORE_TOKEN_MAX])
{
	snprintf(token, STORE_TOKEN_MAX, "%s %" PRIu32 " %" PRIu32,
		 kind_words[d->kind], d->domain_id, d->number);
}

bool device_token_parse(const char *token, uint32_t *domain_id,
			enum device_kind *kind, uint32_t *number)
{
	for (unsigned int i = 0; i < 2; i++)
		if (strncmp(token, kind_words[i], 3) == 0 &&
		    /* We wrote it: it is well formed. */
		    /* NOLINTNEXTLINE(cert-err34-c) */
		    sscanf(token + 3, " %" SCNu32 " %" SCNu32, domain_id,
			   number) == 2) {
			*kind = i;
			return true;
		}
	return false;
}

static int set_state(struct device *d, struct store *s, enum device_state state,
		     struct error *err)
{
	char back[STORE_PATH_MAX];

	device_back(d, back);
	if (store_writef(s, back, "state", err, "%d", (int)state))
		return -1;
	d->state = state;
	return 0;
}

static int write_front(const struct device *d, struct store *s,
		       const char *front, const char *back, struct error *err)
{
	if (store_own(s, front, d->domain_id, 0, err) ||
	    store_writef(s, front, "backend", err, "%s", back) ||
	    store_writef(s, front, "backend-id", err, "%d",
			 XENO_DOMAIN_BACKEND) ||
	    store_writef(s, front, "state", err, "%d", DEVICE_INITIALISING))
		return -1;
	if (d->kind == DEVICE_VBD)
		return store_writef(s, front, "virtual-device", err, "%" PRIu32,
				    d->number) ||
				       store_writef(s, front, "device-type",
						    err, "disk")
			       ? -1
			       : 0;
	return store_writef(s, front, "handle", err, "%" PRIu32, d->number);
}

static int write_back(const struct device *d, struct store *s,
		      const char *front, const char *back, struct error *err)
{
	if (store_own(s, back, 0, d->domain_id, err) ||
	    store_writef(s, back, "frontend", err, "%s", front) ||
	    store_writef(s, back, "frontend-id", err, "%" PRIu32,
			 d->domain_id) ||
	    store_writef(s, back, "online", err, "1"))
		return -1;
	return d->kind == DEVICE_VBD ? vbd_publish(d, s, back, err)
				     : vif_publish(d, s, front, back, err);
}

static int watch_front(const struct device *d, struct store *s,
		       struct error *err)
{
	char front[STORE_PATH_MAX], path[STORE_PATH_MAX + 8];
	char token[STORE_TOKEN_MAX];

	device_front(d, front);
	token_of(d, token);
	snprintf(path, sizeof(path), "%s/state", front);
	return store_watch(s, path, token, err);
}

int device_publish(struct device *d, struct store *s, struct error *err)
{
	char front[STORE_PATH_MAX], back[STORE_PATH_MAX];

	device_front(d, front);
	device_back(d, back);
	/* The front end appears last: by then all that it reads is there. */
	if (write_back(d, s, front, back, err) ||
	    set_state(d, s, DEVICE_INIT_WAIT, err) ||
	    write_front(d, s, front, back, err))
		return -1;
	return watch_front(d, s, err);
}

void device_withdraw(struct device *d, struct store *s)
{
	char front[STORE_PATH_MAX], back[STORE_PATH_MAX];
	char path[STORE_PATH_MAX + 8], token[STORE_TOKEN_MAX];

	device_front(d, front);
	device_back(d, back);
	token_of(d, token);
	snprintf(path, sizeof(path), "%s/state", front);
	store_unwatch(s, path, token);
	store_remove(s, front);
	store_remove(s, back);
}

static int connect_device(struct device *d, struct store *s, struct hv *hv,
			  struct error *err)
{
	int rc = d->kind == DEVICE_VBD ? vbd_connect(d, s, hv, err)
				       : vif_connect(d, s, hv, err);

	return rc ? rc : set_state(d, s, DEVICE_CONNECTED, err);
}

static int disconnect_device(const struct device *d, struct hv *hv,
			     struct error *err)
{
	return d->kind == DEVICE_VBD
		       ? hv_vbd_disconnect(hv, d->domain_id, d->number, err)
		       : hv_vif_disconnect(hv, d->domain_id, d->number, err);
}

/* Disks say Initialised when their rings are there, interfaces Connected. */
static bool front_is_ready(const struct device *d, enum device_state front)
{
	return front == DEVICE_INITIALISED ||
	       (front == DEVICE_CONNECTED && d->kind == DEVICE_VIF);
}

static int step(struct device *d, enum device_state front, struct store *s,
		struct hv *hv, struct error *err)
{
	if (front_is_ready(d, front) && d->state == DEVICE_INIT_WAIT)
		return connect_device(d, s, hv, err);
	switch (front) {
	case DEVICE_INITIALISING:
		/* A new driver, after one that closed the device. */
		if (d->state != DEVICE_CLOSED)
			return 0;
		return set_state(d, s, DEVICE_INIT_WAIT, err);
	case DEVICE_CLOSING:
		if (d->state == DEVICE_CLOSING)
			return 0;
		if (disconnect_device(d, hv, err))
			return -1;
		return set_state(d, s, DEVICE_CLOSING, err);
	case DEVICE_CLOSED:
		if (d->state == DEVICE_CLOSED)
			return 0;
		if (disconnect_device(d, hv, err))
			return -1;
		return set_state(d, s, DEVICE_CLOSED, err);
	default:
		return 0;
	}
}

int device_adopt(struct device *d, struct store *s, struct hv *hv,
		 struct error *err)
{
	char back[STORE_PATH_MAX];
	uint32_t state;

	device_back(d, back);
	if (!store_read_number(s, back, "state", &state))
		return device_publish(d, s, err);
	d->state = state;
	/* It may have got as far as to connect some of it. No request comes
	 * before the front end is told, so it can be done again. */
	if (d->state == DEVICE_INIT_WAIT && disconnect_device(d, hv, err))
		return -1;
	if (d->kind == DEVICE_VBD)
		store_read_number(s, back, "discard-granularity",
				  &d->physical_block_bytes);
	/* The watch fires at once: what happened meanwhile is followed. */
	return watch_front(d, s, err);
}

void device_follow(struct device *d, struct store *s, struct hv *hv)
{
	char front[STORE_PATH_MAX];
	struct error err, ignored;
	uint32_t state;

	device_front(d, front);
	if (!store_read_number(s, front, "state", &state))
		return;
	if (step(d, state, s, hv, &err) == 0)
		return;
	log_warning("op=device domain=%u %s=%u message=\"%s\"", d->domain_id,
		    kind_words[d->kind], d->number, err.message);
	/* The front end sees that nothing will come of it. */
	disconnect_device(d, hv, &ignored);
	set_state(d, s, DEVICE_CLOSED, &ignored);
}
