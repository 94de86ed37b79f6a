// SPDX-License-Identifier: Apache-2.0
/* The table of options; see command.h. */
#include <string.h>

#include "command.h"
#include "parts.h"

static const struct part disk_parts[] = {
	{ "", "device", PART_TEXT },         { "device", "device", PART_TEXT },
	{ "size", "size_bytes", PART_SIZE }, { "image", "image", PART_TEXT },
	{ "volume", "volume", PART_TEXT },   { "ro", "writable", PART_FALSE },
	{ NULL, NULL, PART_TEXT },
};

static const struct part nic_parts[] = {
	{ "ip", "addresses", PART_LIST },
	{ "mac", "mac", PART_TEXT },
	{ NULL, NULL, PART_TEXT },
};

static const struct part redirect_parts[] = {
	{ "domain", "domain", PART_TEXT },   { "vif", "vif", PART_NUMBER },
	{ "address", "address", PART_TEXT }, { "port", "port", PART_NUMBER },
	{ NULL, NULL, PART_TEXT },
};

#define SETTING(name) offsetof(struct settings, name), NULL, NULL
#define FIELD(name) 0, name, NULL

/* clang-format off */
const struct option_row option_rows[] = {
	/* Of all commands. */
	{ "output", 'o', OPTION_FORM, "FORM", SETTING(form),
	  "table (the default), json, yaml or csv" },
	{ "columns", 0, OPTION_TEXT, "LIST", SETTING(columns),
	  "fields for table and csv: id,name,labels.env" },
	{ "no-headers", 0, OPTION_FLAG, NULL, SETTING(no_headers),
	  "table and csv without their first line" },
	{ "url", 0, OPTION_TEXT, "URL", SETTING(url),
	  "ask this node over TCP: https://node.example:8440" },
	{ "socket", 0, OPTION_TEXT, "PATH", SETTING(socket_path),
	  "ask the node here through this Unix socket" },
	{ "token", 0, OPTION_TEXT, "TOKEN", SETTING(token),
	  "who asks; others on this machine can see it: better a file" },
	{ "token-file", 0, OPTION_TEXT, "FILE", SETTING(token_file),
	  "a file with the token, for its owner only (0600)" },
	{ "cacert", 0, OPTION_TEXT, "FILE", SETTING(ca_file),
	  "certificates to trust, PEM" },
	{ "show-request", 0, OPTION_FLAG, NULL, SETTING(show_request),
	  "print the request as a curl command; send nothing" },
	{ "quiet", 'q', OPTION_FLAG, NULL, SETTING(quiet),
	  "no progress on standard error" },
	{ "help", 'h', OPTION_FLAG, NULL, SETTING(help), "say what it does" },
	/* Of those that change something. */
	{ "wait", 'w', OPTION_FLAG, NULL, SETTING(wait),
	  "wait until it is done, with progress on standard error" },
	{ "timeout", 0, OPTION_NUMBER, "SECONDS", SETTING(timeout_s),
	  "wait no longer than this (300)" },
	{ "if-version", 0, OPTION_NUMBER, "NUMBER", SETTING(version),
	  "only if its version is still this one" },
	{ "idempotency-key", 0, OPTION_TEXT, "KEY", SETTING(idempotency_key),
	  "instead of one that is made up: asked again with it, nothing is done twice" },
	{ "file", 'f', OPTION_TEXT, "FILE", SETTING(file),
	  "the body: JSON, or libvirt's XML for a domain; - is standard input" },
	{ "dry-run", 0, OPTION_FLAG, NULL, SETTING(dry_run),
	  "only say whether it would be admitted" },
	/* Of lists. */
	{ "limit", 0, OPTION_NUMBER, "NUMBER", SETTING(limit),
	  "no more than so many (all)" },
	{ "state", 0, OPTION_QUERY, "STATE", FIELD("state"),
	  "only those in this state" },
	{ "selector", 'l', OPTION_QUERY, "LABELS", FIELD("label_selector"),
	  "only those with these labels: env=prod,tier!=db" },
	{ "of-tenant", 0, OPTION_QUERY, "NAME", FIELD("tenant"),
	  "only those of this tenant" },
	{ "of-domain", 0, OPTION_QUERY, "ID", FIELD("domain"),
	  "only those of this domain" },
	{ "after", 0, OPTION_TEXT, "ID", SETTING(after),
	  "begin after this event" },
	{ "count", 0, OPTION_NUMBER, "NUMBER", SETTING(count),
	  "end after so many" },
	/* Of domains. */
	{ "name", 0, OPTION_BODY_TEXT, "NAME", FIELD("name"),
	  "its new name" },
	{ "kernel", 'k', OPTION_BODY_TEXT, "FILE", FIELD("kernel"),
	  "a kernel in the operator's folder" },
	{ "ramdisk", 0, OPTION_BODY_TEXT, "FILE", FIELD("ramdisk"),
	  "a ramdisk there" },
	{ "command", 0, OPTION_BODY_TEXT, "TEXT", FIELD("command"),
	  "the kernel's command line" },
	{ "memory", 'm', OPTION_BODY_SIZE, "SIZE", FIELD("memory_bytes"),
	  "512M, 1G" },
	{ "vcpus", 0, OPTION_BODY_NUMBER, "NUMBER", FIELD("vcpus"),
	  "how many vCPUs" },
	{ "cpu-reservation", 0, OPTION_BODY_NUMBER, "PERMILLE",
	  FIELD("cpu_reservation_permille"),
	  "thousandths of a CPU that it gets whenever it wants them" },
	{ "cpu-cap", 0, OPTION_BODY_NUMBER, "PERMILLE",
	  FIELD("cpu_cap_permille"),
	  "thousandths of a CPU that it gets at most; 0: no cap" },
	{ "disk", 'd', OPTION_BODY_PARTS, "DISK", 0, "disks", disk_parts,
	  "xvda,size=1G,image=debian,ro or xvdb,volume=data" },
	{ "nic", 'n', OPTION_BODY_PARTS, "NIC", 0, "nics", nic_parts,
	  "ip=10.0.2.101,mac=02:00:00:00:00:01; empty: what the node makes up" },
	{ "label", 0, OPTION_BODY_LABEL, "KEY=VALUE", FIELD("labels"),
	  "a label; may come more than once" },
	{ "no-label", 0, OPTION_BODY_NO_LABEL, "KEY", FIELD("labels"),
	  "take this label away" },
	{ "on-poweroff", 0, OPTION_BODY_TEXT, "ACTION", FIELD("on_poweroff"),
	  "destroy, restart or preserve" },
	{ "on-reboot", 0, OPTION_BODY_TEXT, "ACTION", FIELD("on_reboot"),
	  "destroy, restart or preserve" },
	{ "on-crash", 0, OPTION_BODY_TEXT, "ACTION", FIELD("on_crash"),
	  "destroy, restart or preserve" },
	{ "no-start", 0, OPTION_BODY_FALSE, NULL, FIELD("start"),
	  "define it only" },
	{ "tenant", 0, OPTION_BODY_TEXT, "NAME", FIELD("tenant"),
	  "whose it is" },
	/* Of volumes and images. */
	{ "size", 's', OPTION_BODY_SIZE, "SIZE", FIELD("size_bytes"),
	  "512M, 1G; a volume can only grow" },
	{ "image", 0, OPTION_BODY_TEXT, "NAME", FIELD("image"),
	  "what it starts with" },
	{ "kind", 0, OPTION_QUERY, "KIND", FIELD("kind"),
	  "boot (kernels and ramdisks) or disk" },
	{ "new", 0, OPTION_FLAG, NULL, SETTING(fresh),
	  "only if there is none of that name" },
	/* Of consoles. */
	{ "tail", 0, OPTION_QUERY, "BYTES", FIELD("tail_bytes"),
	  "only so much of its end" },
	{ "offset", 0, OPTION_QUERY, "BYTES", FIELD("offset"),
	  "from this byte of all there ever were" },
	{ "read-only", 0, OPTION_QUERY, NULL, FIELD("write"),
	  "only look at it" },
	/* Of rules. */
	{ "action", 0, OPTION_BODY_TEXT, "ACTION", FIELD("action"),
	  "accept, drop, count or redirect" },
	{ "direction", 0, OPTION_BODY_TEXT, "WAY", FIELD("direction"),
	  "packets from the interface, to it, or both" },
	{ "interface", 0, OPTION_BODY_TEXT, "WHICH", FIELD("interface"),
	  "any, uplink or domain" },
	{ "domain", 0, OPTION_BODY_TEXT, "DOMAIN", FIELD("domain"),
	  "the domain that it is about" },
	{ "vif", 0, OPTION_BODY_NUMBER, "NUMBER", FIELD("vif"),
	  "which interface of it" },
	{ "protocol", 0, OPTION_BODY_TEXT, "NAME", FIELD("protocol"),
	  "tcp, udp, icmp or icmp6" },
	{ "source", 0, OPTION_BODY_TEXT, "ADDRESS", FIELD("source"),
	  "from this address, or ADDRESS/BITS" },
	{ "target", 0, OPTION_BODY_TEXT, "ADDRESS", FIELD("target"),
	  "to this address, or ADDRESS/BITS" },
	{ "source-ports", 0, OPTION_BODY_TEXT, "PORTS", FIELD("source_ports"),
	  "a port, or the first and the last: 1-1023" },
	{ "target-ports", 0, OPTION_BODY_TEXT, "PORTS", FIELD("target_ports"),
	  "a port, or the first and the last" },
	{ "redirect", 0, OPTION_BODY_PART, "WHERE", 0, "redirect",
	  redirect_parts, "domain=web1,vif=0,address=10.0.2.101,port=22" },
	{ "comment", 0, OPTION_BODY_TEXT, "TEXT", FIELD("comment"),
	  "what it is for" },
	{ "at", 0, OPTION_NUMBER, "NUMBER", SETTING(at),
	  "before the rule of this number (behind all)" },
	/* Of bills. */
	{ "from", 0, OPTION_QUERY, "TIME", FIELD("from"),
	  "the first moment that counts: 2026-11-01T00:00:00Z" },
	{ "to", 0, OPTION_QUERY, "TIME", FIELD("to"),
	  "the first moment that does not count any more" },
	{ "month", 0, OPTION_QUERY, "MONTH", FIELD("month"),
	  "a month in UTC: 2026-11" },
	{ "last-row", 0, OPTION_QUERY, "NUMBER", FIELD("last_row"),
	  "as it was when this was the ledger's last row" },
	{ "row", 0, OPTION_QUERY, "NUMBER", FIELD("row"),
	  "the ledger's last row on a statement that was kept" },
	{ "hash", 0, OPTION_QUERY, "HASH", FIELD("hash"), "its hash" },
	{ "effective-from", 0, OPTION_BODY_TEXT, "TIME",
	  FIELD("effective_from"), "when it begins (now)" },
	{ "price", 0, OPTION_BODY_PRICE, "METER=MICRO/PER", FIELD("prices"),
	  "vcpu=36000/3600000000000: millionths for so many units" },
	{ "amount-micro", 0, OPTION_BODY_SIGNED, "NUMBER",
	  FIELD("amount_micro"), "millionths; below 0: a credit" },
	{ "note", 0, OPTION_BODY_TEXT, "TEXT", FIELD("note"), "why" },
	{ "refers-to", 0, OPTION_BODY_NUMBER, "NUMBER", FIELD("refers_to"),
	  "the row that it corrects" },
	/* Of tokens. */
	{ "role", 0, OPTION_BODY_TEXT, "ROLE", FIELD("role"),
	  "operator or tenant" },
	{ "description", 0, OPTION_BODY_TEXT, "TEXT", FIELD("description"),
	  "what it is for" },
	{ "expires-in", 0, OPTION_BODY_NUMBER, "SECONDS",
	  FIELD("expires_in_s"), "how long it is valid (90 days)" },
	{ NULL, 0, OPTION_FLAG, NULL, 0, NULL, NULL, NULL },
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
