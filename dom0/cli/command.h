/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked for: a table of commands and a table of options. Dispatch,
 * help, completion and the manual page are all made from these two.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output.h"

/* The exit status. */
enum status {
	STATUS_OK = 0,
	STATUS_FAILED = 1,       /* refused for another reason, or it failed */
	STATUS_USAGE = 2,        /* what was typed makes no sense */
	STATUS_NOT_FOUND = 3,    /* there is none, or none for you */
	STATUS_CONFLICT = 4,     /* not now: its state or version is another */
	STATUS_DENIED = 5,       /* no valid token, or not for its role */
	STATUS_NO_ROOM = 6,      /* admission has refused it */
	STATUS_TIMEOUT = 7,      /* waited in vain; the operation goes on */
	STATUS_UNREACHABLE = 8,  /* nobody answers */
	STATUS_NODE_FAILED = 9,  /* the node's fault */
	STATUS_NOT_VERIFIED = 10 /* what was to be verified is wrong */
};

/* What options say about the asking itself. */
struct settings {
	const char *url, *socket_path, *token, *token_file, *ca_file;
	const char *columns, *file, *idempotency_key, *after;
	enum output_form form;
	bool no_headers, show_request, quiet, wait, dry_run, help, fresh;
	int64_t timeout_s, limit, count, version, at;
};

#define WORDS_MAX 3

struct call {
	const struct command *command;
	struct settings settings;
	const char *words[WORDS_MAX]; /* its arguments, NULL after the last */
	json_t *query, *body;         /* what options say of these */
	const char *progname;
};

/* Traits of a command. */
#define KEYED 1U   /* sent with an Idempotency-Key */
#define MATCHED 2U /* sent with If-Match */
#define NAMES 4U   /* its first argument is the name of what it makes */
#define PATCHES 8U /* its body is a merge patch */
#define XML 16U    /* asks for XML */
#define BODY 32U   /* has a body, of options and a file */

struct command {
	const char *noun, *verb;
	/* "DOMAIN DEVICE"; in brackets: may be left out. */
	const char *arguments;
	const char *summary;
	const char *options; /* "wait,timeout", besides those of all */
	enum status (*run)(struct call *c);
	const char *method, *path; /* each {} is an argument, in their order */
	unsigned int traits;
	const char *columns; /* see output.h; NULL: all that there is */
};

extern const struct command commands[]; /* ends with a noun NULL */

struct noun {
	const char *name, *summary;
};

extern const struct noun nouns[]; /* ends with a name NULL */

enum option_kind {
	/* Into the settings, at the offset. */
	OPTION_TEXT,
	OPTION_FLAG,
	OPTION_NUMBER,
	OPTION_FORM,
	/* Into the query. */
	OPTION_QUERY,
	/* Into the body, as the field. */
	OPTION_BODY_TEXT,
	OPTION_BODY_SIZE,
	OPTION_BODY_NUMBER,
	OPTION_BODY_SIGNED,
	OPTION_BODY_TRUE,
	OPTION_BODY_FALSE,
	OPTION_BODY_LABEL,    /* k=v */
	OPTION_BODY_NO_LABEL, /* k */
	OPTION_BODY_PRICE,    /* METER=MICRO/PER */
	OPTION_BODY_PARTS,    /* one more of the list */
	OPTION_BODY_PART      /* one */
};

struct option_row {
	const char *name;
	char letter; /* 0: none */
	enum option_kind kind;
	const char *argument; /* NULL: none */
	size_t offset;
	const char *field;
	const struct part *parts;
	const char *help;
};

extern const struct option_row option_rows[]; /* ends with a name NULL */

/* Those of every command. */
#define OPTIONS_OF_ALL                                                         \
	"output,columns,no-headers,url,socket,token,token-file,cacert,"        \
	"show-request,quiet,help"

/* Whether the list "a,b" has the name. */
bool listed(const char *list, const char *name);
/* NULL: there is none; with a verb NULL: the noun needs one. */
const struct command *command_find(const char *noun, const char *verb);
/* How many arguments it takes. */
unsigned int command_words(const struct command *c, unsigned int *least);

#endif
