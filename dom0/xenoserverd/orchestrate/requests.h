/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be asked for: checked, admitted, and written down, within the
 * caller's transaction, from any thread with a handle of its own. Nothing is
 * done to the machine here; the worker does it once the transaction is
 * committed, and orchestration_wake says so.
 */
#ifndef ORCHESTRATE_REQUESTS_H
#define ORCHESTRATE_REQUESTS_H

#include "admission/admission.h"
#include "model/domain.h"
#include "model/volume.h"
#include "store/db.h"

enum refusal_kind {
	REFUSED_FAILURE, /* not the asker's fault */
	REFUSED_NOT_FOUND,
	REFUSED_NAME,     /* is taken */
	REFUSED_ADDRESS,  /* is in use */
	REFUSED_STATE,    /* not legal in this one */
	REFUSED_BUSY,     /* an operation is not finished */
	REFUSED_VERSION,  /* not the one that was expected */
	REFUSED_CAPACITY, /* see admission */
	REFUSED_FIXED,    /* a field cannot be changed in this state */
	REFUSED_IN_USE,   /* somebody needs it */
	REFUSED_INVALID,  /* a field names what there is not */
};

struct refusal {
	enum refusal_kind kind;
	struct error error;        /* its message is the detail */
	enum domain_state state;   /* REFUSED_STATE, REFUSED_FIXED */
	char operation_id[ID_MAX]; /* REFUSED_BUSY */
	char field[96]; /* REFUSED_FIXED, _ADDRESS, _IN_USE, _INVALID */
	char value[96], limit[96];  /* REFUSED_INVALID */
	int64_t version;            /* REFUSED_VERSION: the current one */
	struct admission admission; /* REFUSED_CAPACITY */
};

/* Who asks. */
struct requester {
	const char *tenant; /* NULL: whose domains do not matter */
	const char *actor;
	const char *request_id;
};

/* Any version is as good as another. */
#define ANY_VERSION (-1)

struct request_answer {
	struct domain domain;
	struct operation operation;
};

struct creation {
	const char *tenant;             /* whose it is to be */
	const struct domain_spec *spec; /* checked already */
	bool start;
};

int request_create(struct db *db, const struct requester *by,
		   const struct capacity *c, const struct creation *what,
		   struct request_answer *out, struct refusal *r);

struct target {
	const char *domain; /* id or name */
	int64_t version;    /* the one that is expected */
};

/* What is different in spec from the domain's own, is to be as in spec. */
int request_update(struct db *db, const struct requester *by,
		   const struct capacity *c, const struct target *t,
		   const struct domain_spec *spec, struct request_answer *out,
		   struct refusal *r);
/* Start, pause, resume, shutdown, reboot, destroy, delete. */
int request_action(struct db *db, const struct requester *by,
		   const struct target *t, enum domain_action a,
		   struct request_answer *out, struct refusal *r);

/* ---- volumes ---- */

struct volume_answer {
	struct volume volume;
	struct operation operation;
};

struct volume_creation {
	const char *tenant; /* whose it is to be */
	const char *name, *image;
	uint64_t bytes;
};

int request_volume_create(struct db *db, const struct requester *by,
			  const struct capacity *c,
			  const struct volume_creation *what,
			  struct volume_answer *out, struct refusal *r);
/* The target is a volume, by id or name. */
int request_volume_grow(struct db *db, const struct requester *by,
			const struct capacity *c, const struct target *t,
			uint64_t bytes, struct volume_answer *out,
			struct refusal *r);
int request_volume_delete(struct db *db, const struct requester *by,
			  const struct target *t, struct volume_answer *out,
			  struct refusal *r);
/* The volumes that a new domain names become its disks: their ids, and their
 * sizes. */
int request_attach(struct db *db, struct domain *d, struct refusal *r);
/* That nothing is done to the volumes of a domain that is to start. */
int request_volumes_at_rest(struct db *db, const struct domain *d,
			    struct refusal *r);

/* For the files of this room: the kind of a refusal by what the store said; -1.
 */
int refuse_error(struct refusal *r);
int refuse_busy(struct refusal *r, const struct operation *o);
void make_operation(struct operation *o, enum domain_action a,
		    const char *target, const char *tenant,
		    const struct requester *by);

int announce_volume(struct db *db, const struct volume *v,
		    const struct operation *o, struct error *err);
/* The event that tells of a domain's state or of an operation's end, into the
 * open transaction. */
int announce_domain(struct db *db, const struct domain *d,
		    const struct operation *o, struct error *err);
int announce_operation(struct db *db, const struct operation *o,
		       struct error *err);

#endif
