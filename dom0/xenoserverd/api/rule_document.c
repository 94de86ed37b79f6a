// SPDX-License-Identifier: Apache-2.0
/* See rule_document.h. What the hypervisor would refuse of a single rule is
 * refused here already, with the field's own name. */
#include "api/rule_document.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xeno/vif.h>

#define COMMENT_MAX 127
#define TCP 6
#define UDP 17
#define PORT_MOST 65535

/* A rule while it is read. */
struct reading {
	json_t *rule;
	size_t index;
	struct violations *v;
	rule_resolve resolve;
	void *context;
	const char *action, *direction, *interface;
	int protocol; /* -1: wrong */
	int family;   /* of all addresses; 0: none yet */
	bool target_is_one, port_is_one;
};

static void wrong(struct reading *r, json_t *value, const char *field,
		  const char *limit)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
						       JSON_ENSURE_ASCII)
			   : NULL;

	violation_add(r->v, value ? text ?: "" : "missing", limit,
		      "/rules/%zu/%.60s", r->index, field);
	free(text);
}

/* One of the words of a list that ends with NULL; NULL: it is not. */
static const char *read_word(struct reading *r, const char *field,
			     const char *const *words, const char *limit)
{
	json_t *value = json_object_get(r->rule, field);
	const char *text = json_string_value(value);

	for (; text && *words; words++)
		if (strcmp(text, *words) == 0)
			return *words;
	wrong(r, value, field, limit);
	return NULL;
}

/* The id of a domain, which takes the place of its name. "" : none. */
static const char *read_domain(struct reading *r, json_t *object,
			       const char *key, const char *field)
{
	json_t *value = json_object_get(object, key);
	const char *name = json_string_value(value);
	char id[ID_MAX];

	if (!name || !r->resolve(r->context, name, id)) {
		wrong(r, value, field, "the id or name of a domain");
		return "";
	}
	json_object_set_new(object, key, json_string(id));
	return json_string_value(json_object_get(object, key));
}

/* A whole number within limits; least - 1: not. */
static json_int_t read_number(struct reading *r, json_t *value,
			      const char *field, json_int_t least,
			      json_int_t most)
{
	json_int_t number = json_integer_value(value);
	char limit[40];

	if (json_is_integer(value) && number >= least && number <= most)
		return number;
	snprintf(limit, sizeof(limit), "%lld to %lld", (long long)least,
		 (long long)most);
	wrong(r, value, field, limit);
	return least - 1;
}

static bool is_action(const struct reading *r, const char *action)
{
	return r->action && strcmp(r->action, action) == 0;
}

static bool is_interface(const struct reading *r, const char *interface)
{
	return r->interface && strcmp(r->interface, interface) == 0;
}

static void read_interface(struct reading *r, struct strbuf *text)
{
	json_t *domain = json_object_get(r->rule, "domain");
	json_t *vif = json_object_get(r->rule, "vif");

	if (!is_interface(r, "domain")) {
		if (domain)
			wrong(r, domain, "domain",
			      "left out: the interface is no domain's");
		if (vif)
			wrong(r, vif, "vif",
			      "left out: the interface is no domain's");
		strbuf_add(text, " %s", r->interface ?: "");
		return;
	}
	strbuf_add(text, " %s", read_domain(r, r->rule, "domain", "domain"));
	if (vif)
		strbuf_add(text, ":%lld",
			   (long long)read_number(r, vif, "vif", 0,
						  XENO_VIFS_PER_DOMAIN - 1));
}

static int protocol_of(const json_t *value)
{
	static const struct {
		const char *word;
		int number;
	} known[] = {
		{ "tcp", TCP }, { "udp", UDP }, { "icmp", 1 }, { "icmp6", 58 }
	};
	json_int_t number = json_integer_value(value);

	for (size_t i = 0; i < 4 && json_is_string(value); i++)
		if (strcmp(json_string_value(value), known[i].word) == 0)
			return known[i].number;
	return json_is_integer(value) && number >= 1 && number <= 255
		       ? (int)number
		       : -1;
}

static void read_protocol(struct reading *r, struct strbuf *text)
{
	json_t *value = json_object_get(r->rule, "protocol");

	if (!value)
		return;
	r->protocol = protocol_of(value);
	if (r->protocol < 0)
		wrong(r, value, "protocol",
		      "tcp, udp, icmp, icmp6, or a number from 1 to 255");
	else
		strbuf_add(text, " protocol %d", r->protocol);
}

/* How many of its bits count, if it is an address; -1: it is not. */
static int address_bits(const char *given, bool prefix, int *family)
{
	char copy[64], *slash, *end;
	uint8_t bytes[16];
	long bits;
	int most;

	if (strlen(given) >= sizeof(copy))
		return -1;
	snprintf(copy, sizeof(copy), "%s", given);
	slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	*family = inet_pton(AF_INET, copy, bytes) == 1    ? 4
		  : inet_pton(AF_INET6, copy, bytes) == 1 ? 6
							  : 0;
	most = *family == 4 ? 32 : 128;
	if (!*family || (slash && !prefix))
		return -1;
	if (!slash)
		return most;
	bits = strtol(slash + 1, &end, 10);
	return slash[1] >= '0' && slash[1] <= '9' && !*end && bits <= most
		       ? (int)bits
		       : -1;
}

/* false: wrong. */
static bool read_address(struct reading *r, json_t *value, const char *field,
			 bool prefix, bool *is_one)
{
	const char *given = json_string_value(value);
	int family = 0;
	int bits = given ? address_bits(given, prefix, &family) : -1;

	*is_one = bits == (family == 4 ? 32 : 128);
	if (bits < 0) {
		wrong(r, value, field,
		      prefix ? "an IPv4 or IPv6 address, or ADDRESS/BITS"
			     : "an IPv4 or IPv6 address");
		return false;
	}
	if (r->family && r->family != family) {
		wrong(r, value, field, "of the same family as the others");
		return false;
	}
	r->family = family;
	return true;
}

static void read_network(struct reading *r, const char *field, bool *is_one,
			 struct strbuf *text)
{
	json_t *value = json_object_get(r->rule, field);

	if (value && read_address(r, value, field, true, is_one))
		strbuf_add(text, " %s %s", field, json_string_value(value));
}

/* A port up to the character end, or the text's end. */
static long read_port(const char **at, char end)
{
	char *rest;
	long port;

	if (**at < '0' || **at > '9')
		return -1;
	port = strtol(*at, &rest, 10);
	if (port > PORT_MOST || (*rest && *rest != end))
		return -1;
	*at = rest;
	return port;
}

static void read_ports(struct reading *r, const char *field, const char *word,
		       struct strbuf *text)
{
	json_t *value = json_object_get(r->rule, field);
	const char *at = json_string_value(value);
	long first, last;

	if (!value)
		return;
	first = at ? read_port(&at, '-') : -1;
	last = first;
	if (first >= 0 && *at) {
		at++;
		last = read_port(&at, '\0');
	}
	if (first < 0 || last < first) {
		wrong(r, value, field,
		      "a port, or two with - between: 0 to 65535");
		return;
	}
	if (r->protocol >= 0 && r->protocol != TCP && r->protocol != UDP)
		wrong(r, value, field,
		      "left out, unless protocol is tcp or udp");
	r->port_is_one = first == last && first;
	strbuf_add(text, " %s %ld-%ld", word, first, last);
}

static void need(struct reading *r, bool holds, const char *field,
		 const char *limit)
{
	if (!holds)
		wrong(r, json_object_get(r->rule, field), field, limit);
}

static void check_redirect(struct reading *r)
{
	need(r, r->direction && strcmp(r->direction, "from") == 0, "direction",
	     "from, of a redirection");
	need(r, is_interface(r, "uplink"), "interface",
	     "uplink, of a redirection");
	need(r, r->protocol == TCP || r->protocol == UDP, "protocol",
	     "tcp or udp, of a redirection");
	need(r, r->target_is_one, "target", "one address, of a redirection");
	need(r, r->port_is_one, "target_ports", "one port, of a redirection");
}

static bool is_zero(const char *address)
{
	static const uint8_t zero[16];
	uint8_t bytes[16] = { 0 };

	if (inet_pton(AF_INET, address, bytes) != 1)
		inet_pton(AF_INET6, address, bytes);
	return memcmp(bytes, zero, sizeof(zero)) == 0;
}

static void read_redirect(struct reading *r, struct strbuf *text)
{
	json_t *to = json_object_get(r->rule, "redirect"), *value;
	const char *key;
	bool is_one;

	if (!is_action(r, "redirect")) {
		if (to)
			wrong(r, to, "redirect",
			      "left out: the action is another");
		return;
	}
	check_redirect(r);
	if (!json_is_object(to)) {
		wrong(r, to, "redirect", "domain, vif, address and port");
		return;
	}
	json_object_foreach(to, key, value)
	{
		char field[80];

		if (strcmp(key, "domain") == 0 || strcmp(key, "vif") == 0 ||
		    strcmp(key, "address") == 0 || strcmp(key, "port") == 0)
			continue;
		snprintf(field, sizeof(field), "redirect/%.60s", key);
		wrong(r, value, field, "left out: there is no such field");
	}
	strbuf_add(text, " to-vif %s:",
		   read_domain(r, to, "domain", "redirect/domain"));
	strbuf_add(text, "%lld",
		   (long long)read_number(r, json_object_get(to, "vif"),
					  "redirect/vif", 0,
					  XENO_VIFS_PER_DOMAIN - 1));
	value = json_object_get(to, "address");
	if (read_address(r, value, "redirect/address", false, &is_one)) {
		strbuf_add(text, " to-address %s", json_string_value(value));
		if (is_zero(json_string_value(value)))
			wrong(r, value, "redirect/address",
			      "an address of somebody");
	}
	strbuf_add(text, " to-port %lld",
		   (long long)read_number(r, json_object_get(to, "port"),
					  "redirect/port", 1, PORT_MOST));
}

static void read_strays(struct reading *r)
{
	static const char *const known[] = {
		"action",   "direction", "interface",    "domain",
		"vif",      "protocol",  "source",       "target",
		"redirect", "comment",   "source_ports", "target_ports",
	};
	json_t *comment = json_object_get(r->rule, "comment"), *value;
	const char *key;

	json_object_foreach(r->rule, key, value)
	{
		size_t i = 0;

		while (i < 12 && strcmp(key, known[i]) != 0)
			i++;
		if (i == 12)
			wrong(r, value, key,
			      "left out: there is no such field");
	}
	if (comment && (!json_is_string(comment) ||
			json_string_length(comment) > COMMENT_MAX))
		wrong(r, comment, "comment", "a string of up to 127 bytes");
}

static void read_rule(struct reading *r, struct strbuf *text)
{
	static const char *const actions[] = { "accept", "drop", "count",
					       "redirect", NULL };
	static const char *const directions[] = { "from", "to", "both", NULL };
	static const char *const interfaces[] = { "any", "uplink", "domain",
						  NULL };
	bool source_is_one;

	read_strays(r);
	r->action = read_word(r, "action", actions,
			      "accept, drop, count or redirect");
	r->direction =
		read_word(r, "direction", directions, "from, to or both");
	r->interface =
		read_word(r, "interface", interfaces, "any, uplink or domain");
	strbuf_add(text, "%s %s", r->action ?: "", r->direction ?: "");
	read_interface(r, text);
	read_protocol(r, text);
	read_network(r, "source", &source_is_one, text);
	read_network(r, "target", &r->target_is_one, text);
	read_ports(r, "source_ports", "sport", text);
	r->port_is_one = false;
	read_ports(r, "target_ports", "dport", text);
	read_redirect(r, text);
	strbuf_add(text, "\n");
}

void rule_document_read(json_t *document, rule_resolve resolve, void *context,
			struct strbuf *text, struct violations *v)
{
	json_t *rules = json_object_get(document, "rules"), *value;
	const char *key;

	strbuf_add_bytes(text, "", 0);
	json_object_foreach(document, key, value) if (strcmp(key, "rules") != 0)
		violation_add(v, "", "left out: there is no such field",
			      "/%.60s", key);
	if (!json_is_array(rules) || json_array_size(rules) > XENO_RULES_MAX) {
		violation_add(v, rules ? "" : "missing",
			      "a list of up to 4096 rules", "/rules");
		return;
	}
	for (size_t i = 0; i < json_array_size(rules); i++) {
		struct reading r = { .rule = json_array_get(rules, i),
				     .index = i,
				     .v = v,
				     .resolve = resolve,
				     .context = context };

		if (json_is_object(r.rule))
			read_rule(&r, text);
		else
			violation_add(v, "", "an object", "/rules/%zu", i);
	}
}

const char *rule_field(const char *part)
{
	static const struct {
		const char *part, *field;
	} fields[] = {
		{ "its action", "action" },
		{ "its direction", "direction" },
		{ "its addresses", "target" },
		{ "its protocol", "protocol" },
		{ "its interface", "interface" },
		{ "source", "source" },
		{ "target", "target" },
		{ "sport", "source_ports" },
		{ "dport", "target_ports" },
		{ "to-vif", "redirect/vif" },
		{ "to-port", "redirect/port" },
		{ "to-address", "redirect/address" },
	};

	for (size_t i = 0; part && i < sizeof(fields) / sizeof(fields[0]); i++)
		if (strcmp(fields[i].part, part) == 0)
			return fields[i].field;
	return NULL;
}
