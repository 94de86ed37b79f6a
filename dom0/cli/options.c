// SPDX-License-Identifier: Apache-2.0
/* The table of options; see command.h. */
#include <string.h>

#include "command.h"
#include "parts.h"

static const struct part disk_parts[] = {
	{ "", "device", PART_TEXT },         { "device", "device", PART_TEXT },
	{ "size", "size_bytes", PART_SIZE }, { "image", "image", PART_TEXT },
	{ "ro", "writable", PART_FALSE },    { NULL, NULL, PART_TEXT },
};

static const struct part nic_parts[] = {
	{ "ip", "addresses", PART_LIST },
	{ "mac", "mac", PART_TEXT },
	{ NULL, NULL, PART_TEXT },
};

#define SETTING(name) offsetof(struct settings, name), NULL, NULL
#define FIELD(name) 0, name, NULL

/* clang-format off */
const struct option_row option_rows[] = {
	/* Of all commands. */
	{ "output", 'o', "FORM", OPTION_FORM, SETTING(form),
	  "table (the default), json, yaml or csv" },
	{ "columns", 0, "LIST", OPTION_TEXT, SETTING(columns),
	  "fields for table and csv: id,name,labels.env" },
	{ "no-headers", 0, NULL, OPTION_FLAG, SETTING(no_headers),
	  "table and csv without their first line" },
	{ "url", 0, "URL", OPTION_TEXT, SETTING(url),
	  "ask this node over TCP: https://node.example:8440" },
	{ "socket", 0, "PATH", OPTION_TEXT, SETTING(socket_path),
	  "ask the node here through this Unix socket" },
	{ "token", 0, "TOKEN", OPTION_TEXT, SETTING(token),
	  "who asks; others on this machine can see it: better a file" },
	{ "token-file", 0, "FILE", OPTION_TEXT, SETTING(token_file),
	  "a file with the token, for its owner only (0600)" },
	{ "cacert", 0, "FILE", OPTION_TEXT, SETTING(ca_file),
	  "certificates to trust, PEM" },
	{ "show-request", 0, NULL, OPTION_FLAG, SETTING(show_request),
	  "print the request as a curl command; send nothing" },
	{ "quiet", 'q', NULL, OPTION_FLAG, SETTING(quiet),
	  "no progress on standard error" },
	{ "help", 'h', NULL, OPTION_FLAG, SETTING(help), "say what it does" },
	/* Of those that change something. */
	{ "wait", 'w', NULL, OPTION_FLAG, SETTING(wait),
	  "wait until it is done, with progress on standard error" },
	{ "timeout", 0, "SECONDS", OPTION_NUMBER, SETTING(timeout_s),
	  "wait no longer than this (300)" },
	{ "if-version", 0, "NUMBER", OPTION_NUMBER, SETTING(version),
	  "only if its version is still this one" },
	{ "idempotency-key", 0, "KEY", OPTION_TEXT, SETTING(idempotency_key),
	  "instead of one that is made up: asked again with it, nothing is done twice" },
	{ "file", 'f', "FILE", OPTION_TEXT, SETTING(file),
	  "the body: JSON, or libvirt's XML for a domain; - is standard input" },
	{ "dry-run", 0, NULL, OPTION_FLAG, SETTING(dry_run),
	  "only say whether it would be admitted" },
	/* Of lists. */
	{ "limit", 0, "NUMBER", OPTION_NUMBER, SETTING(limit),
	  "no more than so many (all)" },
	{ "state", 0, "STATE", OPTION_QUERY, FIELD("state"),
	  "only those in this state" },
	{ "selector", 'l', "LABELS", OPTION_QUERY, FIELD("label_selector"),
	  "only those with these labels: env=prod,tier!=db" },
	{ "of-tenant", 0, "NAME", OPTION_QUERY, FIELD("tenant"),
	  "only those of this tenant" },
	{ "of-domain", 0, "ID", OPTION_QUERY, FIELD("domain"),
	  "only those of this domain" },
	{ "after", 0, "ID", OPTION_TEXT, SETTING(after),
	  "begin after this event" },
	{ "count", 0, "NUMBER", OPTION_NUMBER, SETTING(count),
	  "end after so many" },
	/* Of domains. */
	{ "name", 0, "NAME", OPTION_BODY_TEXT, FIELD("name"),
	  "its new name" },
	{ "kernel", 'k', "FILE", OPTION_BODY_TEXT, FIELD("kernel"),
	  "a kernel in the operator's folder" },
	{ "ramdisk", 0, "FILE", OPTION_BODY_TEXT, FIELD("ramdisk"),
	  "a ramdisk there" },
	{ "command", 0, "TEXT", OPTION_BODY_TEXT, FIELD("command"),
	  "the kernel's command line" },
	{ "memory", 'm', "SIZE", OPTION_BODY_SIZE, FIELD("memory_bytes"),
	  "512M, 1G" },
	{ "vcpus", 0, "NUMBER", OPTION_BODY_NUMBER, FIELD("vcpus"),
	  "how many vCPUs" },
	{ "cpu-reservation", 0, "PERMILLE", OPTION_BODY_NUMBER,
	  FIELD("cpu_reservation_permille"),
	  "thousandths of a CPU that it gets whenever it wants them" },
	{ "cpu-cap", 0, "PERMILLE", OPTION_BODY_NUMBER,
	  FIELD("cpu_cap_permille"),
	  "thousandths of a CPU that it gets at most; 0: no cap" },
	{ "disk", 'd', "DISK", OPTION_BODY_PARTS, 0, "disks", disk_parts,
	  "xvda,size=1G,image=debian,ro" },
	{ "nic", 'n', "NIC", OPTION_BODY_PARTS, 0, "nics", nic_parts,
	  "ip=10.0.2.101,mac=02:00:00:00:00:01; empty: what the node makes up" },
	{ "label", 0, "KEY=VALUE", OPTION_BODY_LABEL, FIELD("labels"),
	  "a label; may come more than once" },
	{ "no-label", 0, "KEY", OPTION_BODY_NO_LABEL, FIELD("labels"),
	  "take this label away" },
	{ "on-poweroff", 0, "ACTION", OPTION_BODY_TEXT, FIELD("on_poweroff"),
	  "destroy, restart or preserve" },
	{ "on-reboot", 0, "ACTION", OPTION_BODY_TEXT, FIELD("on_reboot"),
	  "destroy, restart or preserve" },
	{ "on-crash", 0, "ACTION", OPTION_BODY_TEXT, FIELD("on_crash"),
	  "destroy, restart or preserve" },
	{ "no-start", 0, NULL, OPTION_BODY_FALSE, FIELD("start"),
	  "define it only" },
	{ "tenant", 0, "NAME", OPTION_BODY_TEXT, FIELD("tenant"),
	  "whose it is" },
	/* Of tokens. */
	{ "role", 0, "ROLE", OPTION_BODY_TEXT, FIELD("role"),
	  "operator or tenant" },
	{ "description", 0, "TEXT", OPTION_BODY_TEXT, FIELD("description"),
	  "what it is for" },
	{ "expires-in", 0, "SECONDS", OPTION_BODY_NUMBER,
	  FIELD("expires_in_s"), "how long it is valid (90 days)" },
	{ NULL, 0, NULL, OPTION_FLAG, 0, NULL, NULL, NULL },
};
/* clang-format on */

bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; *at; at += *at == ',') {
		size_t word = strcspn(at, ",");

		if (word == length && memcmp(at, name, length) == 0)
			return true;
		at += word;
	}
	return false;
}
