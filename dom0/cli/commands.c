// SPDX-License-Identifier: Apache-2.0
/* The table of commands; see command.h. */
#include <string.h>

#include "command.h"
#include "run.h"

const struct noun nouns[] = {
	{ "domain", "virtual machines" },
	{ "host", "the node itself" },
	{ "operation", "what takes time, and how it went" },
	{ "event", "what happens" },
	{ "token", "who may ask" },
	{ "help", "this, or what a command does: xeno help domain create" },
	{ "completion", "what bash needs to complete xeno's words" },
	{ "manual", "the manual page" },
	{ NULL, NULL },
};

#define ACCEPTED "wait,timeout,idempotency-key,if-version"
#define SPEC                                                                   \
	"kernel,ramdisk,command,memory,vcpus,cpu-reservation,cpu-cap,"         \
	"on-poweroff,on-reboot,on-crash,label"

/* An answer that something will be done. */
#define OPERATION                                                              \
	"OPERATION=operation.id STATE=operation.state DOMAIN=domain.name "     \
	"ID=domain.id IS=domain.state"
#define DOMAINS                                                                \
	"NAME=name STATE=state VCPUS=vcpus MEMORY=memory_bytes:size "          \
	"CPU=cpu_reservation_permille TENANT=tenant ID=id"
#define OPERATIONS                                                             \
	"ID=id KIND=kind STATE=state CREATED=created_at TARGET=target "        \
	"PROBLEM=problem.detail"
#define TOKENS                                                                 \
	"ID=id ROLE=role TENANT=tenant EXPIRES=expires_at "                    \
	"DESCRIPTION=description"
#define EVENTS                                                                 \
	"ID=id:6 TIME=time:24 TYPE=type:20 SUBJECT=subject:30 "                \
	"STATE=state:13 MESSAGE=message"

#define DOMAIN_ACTION(verb, summary)                                           \
	{                                                                      \
		"domain", verb, "DOMAIN", summary, ACCEPTED, run_send, "POST", \
			"/v1/domains/{}/actions/" verb, KEYED, OPERATION       \
	}

/* clang-format off */
const struct command commands[] = {
	{ "domain", "list", "", "domains, in the order of their creation",
	  "state,selector,of-tenant,limit", run_list, "GET", "/v1/domains", 0,
	  DOMAINS },
	{ "domain", "create", "[NAME]", "create a domain, and start it",
	  "file,tenant,disk,nic,no-start,dry-run,wait,timeout,idempotency-key,"
	  SPEC, run_send, "POST", "/v1/domains", KEYED | NAMES, OPERATION },
	{ "domain", "show", "DOMAIN", "all about a domain", "", run_show,
	  "GET", "/v1/domains/{}", 0, NULL },
	{ "domain", "export", "DOMAIN", "a domain as libvirt's XML", "",
	  run_text, "GET", "/v1/domains/{}", XML, NULL },
	DOMAIN_ACTION("start", "start a domain that is at rest"),
	DOMAIN_ACTION("pause", "stop its vCPUs"),
	DOMAIN_ACTION("resume", "let them go on"),
	DOMAIN_ACTION("shutdown", "ask its kernel to end"),
	DOMAIN_ACTION("reboot", "ask its kernel to begin again"),
	DOMAIN_ACTION("destroy", "end it at once, and keep what it is"),
	{ "domain", "delete", "DOMAIN",
	  "remove a domain at rest, with its disks", "wait,timeout,if-version",
	  run_send, "DELETE", "/v1/domains/{}", MATCHED, OPERATION },
	{ "domain", "set", "DOMAIN", "change what it is",
	  "wait,timeout,if-version,file,name,no-label," SPEC, run_send,
	  "PATCH", "/v1/domains/{}", MATCHED | PATCHES, OPERATION },
	{ "host", "show", "", "what the node has, and what is claimed of it",
	  "", run_show, "GET", "/v1/host", 0, NULL },
	{ "operation", "list", "", "operations, the newest first",
	  "state,of-domain,limit", run_list, "GET", "/v1/operations", 0,
	  OPERATIONS },
	{ "operation", "show", "OPERATION", "an operation, with its acts", "",
	  run_show, "GET", "/v1/operations/{}", 0, NULL },
	{ "operation", "wait", "OPERATION",
	  "wait for its end; fail if it has failed", "timeout", run_wait,
	  "GET", "/v1/operations/{}", 0, NULL },
	{ "event", "follow", "", "print events as they happen",
	  "after,count", run_follow, "GET", "/v1/events", 0, EVENTS },
	{ "token", "list", "", "tokens that are not revoked", "limit",
	  run_list, "GET", "/v1/tokens", 0, TOKENS },
	{ "token", "create", "",
	  "make a token; it is in this answer only",
	  "role,tenant,description,expires-in,file", run_send, "POST",
	  "/v1/tokens", 0, NULL },
	{ "token", "show", "TOKEN", "a token, without its secret", "",
	  run_show, "GET", "/v1/tokens/{}", 0, NULL },
	{ "token", "delete", "TOKEN", "revoke a token", "", run_send,
	  "DELETE", "/v1/tokens/{}", 0, NULL },
	{ "help", "", "[NOUN] [VERB]", "say what a command does", "",
	  run_help, NULL, NULL, 0, NULL },
	{ "completion", "", "", "print the completion file for bash", "",
	  run_completion, NULL, NULL, 0, NULL },
	{ "manual", "", "", "print the manual page, for man -l -", "",
	  run_manual, NULL, NULL, 0, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL },
};
/* clang-format on */

const struct command *command_find(const char *noun, const char *verb)
{
	for (const struct command *c = commands; c->noun; c++)
		if (strcmp(c->noun, noun) == 0 &&
		    (!*c->verb || (verb && strcmp(c->verb, verb) == 0)))
			return c;
	return NULL;
}

unsigned int command_words(const struct command *c, unsigned int *least)
{
	unsigned int count = 0;

	*least = 0;
	for (const char *at = c->arguments; *at; at += *at == ' ') {
		count++;
		*least += *at != '[';
		at += strcspn(at, " ");
	}
	return count;
}
