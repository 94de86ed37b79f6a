// SPDX-License-Identifier: Apache-2.0
/* The table of commands; see command.h. */
#include <string.h>

#include "command.h"
#include "run.h"

const struct noun nouns[] = {
	{ "domain", "virtual machines" },
	{ "host", "the node itself" },
	{ "volume", "disks of domains, and to be" },
	{ "image", "kernels, ramdisks, and what disks start with" },
	{ "vif", "interfaces of domains" },
	{ "rule", "the firewall-router" },
	{ "console", "what domains say, and what is typed" },
	{ "usage", "what domains have used" },
	{ "bill", "what it costs, line by line, and the ledger" },
	{ "tariff", "prices" },
	{ "account", "who pays" },
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

#define VOLUME_OPERATION                                                       \
	"OPERATION=operation.id STATE=operation.state VOLUME=volume.name "     \
	"ID=volume.id IS=volume.state"
#define VOLUMES                                                                \
	"NAME=name STATE=state SIZE=size_bytes:size DOMAIN=domain "            \
	"DEVICE=device TENANT=tenant ID=id"
#define IMAGES                                                                 \
	"NAME=name KIND=kind SIZE=size_bytes:size USED=in_use "                \
	"MODIFIED=modified_at SHA256=sha256"
#define VIFS                                                                   \
	"VIF=vif MAC=mac ADDRESSES=addresses SENT=counters.tx_bytes:size "     \
	"RECEIVED=counters.rx_bytes:size"
#define RULES                                                                  \
	"@rules NUMBER=number ACTION=action WAY=direction OF=interface "       \
	"DOMAIN=domain VIF=vif PROTOCOL=protocol SOURCE=source "               \
	"PORTS=source_ports TARGET=target PORTS=target_ports COMMENT=comment"
#define COUNTERS                                                               \
	"@counters NUMBER=number PACKETS=packets BYTES=bytes IN_FORCE=in_force"
#define RULE                                                                   \
	"action,direction,interface,domain,vif,protocol,source,target,"        \
	"source-ports,target-ports,redirect,comment"
#define METERS                                                                 \
	"@meters METER=meter USED=used UNIT=used_unit AMOUNT=amount:money"
#define LINES                                                                  \
	"@lines DOMAIN=domain INC=incarnation METER=meter DEVICE=device "      \
	"FROM=start.at TO=end.at USED=used UNIT=used_unit TARIFF=tariff "      \
	"AMOUNT=amount:money"
#define WINDOW "from,to"
#define STATEMENT "from,to,month,last-row"

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
	  SPEC, run_send, "POST", "/v1/domains", KEYED | NAMES | BODY, OPERATION },
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
	{ "host", "shutdown", "", "shut all domains down, and then the node",
	  "idempotency-key", run_send, "POST", "/v1/host/actions/shutdown",
	  KEYED, NULL },
	{ "volume", "list", "", "volumes, and disks that domains came with",
	  "of-domain,of-tenant,limit", run_list, "GET", "/v1/volumes", 0,
	  VOLUMES },
	{ "volume", "create", "[NAME]", "create a volume",
	  "size,image,tenant,file,wait,timeout,idempotency-key", run_send,
	  "POST", "/v1/volumes", KEYED | NAMES | BODY, VOLUME_OPERATION },
	{ "volume", "show", "VOLUME", "all about a volume", "", run_show,
	  "GET", "/v1/volumes/{}", 0, NULL },
	{ "volume", "set", "VOLUME", "let it grow",
	  "size,file,wait,timeout,if-version", run_send, "PATCH",
	  "/v1/volumes/{}", MATCHED | PATCHES, VOLUME_OPERATION },
	{ "volume", "delete", "VOLUME", "remove one that is no domain's disk",
	  "wait,timeout,if-version", run_send, "DELETE", "/v1/volumes/{}",
	  MATCHED, VOLUME_OPERATION },
	{ "image", "list", "", "what there is, by kind and name",
	  "kind,limit", run_list, "GET", "/v1/images", 0, IMAGES },
	{ "image", "show", "IMAGE", "all about an image", "kind", run_show,
	  "GET", "/v1/images/{}", 0, NULL },
	{ "image", "upload", "IMAGE FILE", "make the file an image",
	  "kind,new", run_upload, "PUT", "/v1/images/{}", 0, NULL },
	{ "image", "delete", "IMAGE", "remove one that nobody needs", "kind",
	  run_send, "DELETE", "/v1/images/{}", 0, NULL },
	{ "vif", "list", "DOMAIN", "interfaces, and what they have carried",
	  "", run_list, "GET", "/v1/domains/{}/vifs", 0, VIFS },
	{ "rule", "list", "", "all rules; the first that matches decides", "",
	  run_rule_list, "GET", "/v1/rules", 0, RULES },
	{ "rule", "counters", "", "what each rule has counted", "",
	  run_rule_list, "GET", "/v1/rules/counters", 0, COUNTERS },
	{ "rule", "add", "", "one rule more", "at," RULE, run_rule_add, "PUT",
	  "/v1/rules", 0, RULES },
	{ "rule", "delete", "NUMBER", "one rule less", "", run_rule_delete,
	  "PUT", "/v1/rules", 0, RULES },
	{ "rule", "set", "", "replace all rules by those of a file",
	  "file,if-version", run_rule_list, "PUT", "/v1/rules",
	  MATCHED | BODY, RULES },
	{ "console", "log", "DOMAIN", "what the console has said",
	  "tail,offset", run_text, "GET", "/v1/domains/{}/console/log", 0,
	  NULL },
	{ "console", "attach", "DOMAIN",
	  "this terminal is its console, until Ctrl-]", "read-only",
	  run_attach, "GET", "/v1/domains/{}/console", 0, NULL },
	{ "usage", "show", "DOMAIN", "what a domain has used", WINDOW,
	  run_bill, "GET", "/v1/domains/{}/usage", 0, METERS },
	{ "bill", "show", "ACCOUNT", "what an account owes, line by line",
	  STATEMENT, run_bill, "GET", "/v1/accounts/{}/statement", 0, LINES },
	{ "bill", "domain", "DOMAIN", "what a domain costs, line by line",
	  STATEMENT, run_bill, "GET", "/v1/domains/{}/statement", 0, LINES },
	{ "bill", "explain", "ACCOUNT",
	  "each line in words, with its readings and arithmetic", STATEMENT,
	  run_explain, "GET", "/v1/accounts/{}/statement", 0, NULL },
	{ "bill", "verify", "",
	  "whether the ledger is what was written; fail if it is not",
	  "row,hash", run_verify, "GET", "/v1/ledger/verify", 0, NULL },
	{ "bill", "head", "", "the ledger's last row", "", run_show, "GET",
	  "/v1/ledger", 0, NULL },
	{ "tariff", "list", "", "versions of the tariff", "", run_list, "GET",
	  "/v1/tariffs", 0,
	  "VERSION=version NAME=name FROM=effective_from CURRENCY=currency" },
	{ "tariff", "show", "VERSION", "a version with its prices", "",
	  run_show, "GET", "/v1/tariffs/{}", 0, NULL },
	{ "tariff", "create", "[NAME]", "publish the next version",
	  "price,effective-from,file,idempotency-key", run_send, "POST",
	  "/v1/tariffs", KEYED | NAMES | BODY, NULL },
	{ "account", "list", "", "accounts, by name", "limit", run_list,
	  "GET", "/v1/accounts", 0, "ID=id CURRENCY=currency" },
	{ "account", "show", "ACCOUNT", "what it has used and owes in all",
	  "", run_bill, "GET", "/v1/accounts/{}", 0, METERS },
	{ "account", "adjust", "ACCOUNT",
	  "credit it, or charge it for what is no usage",
	  "amount-micro,note,domain,refers-to,file,idempotency-key", run_send,
	  "POST", "/v1/accounts/{}/adjustments", KEYED | BODY, NULL },
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
	  "/v1/tokens", BODY, NULL },
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
