// SPDX-License-Identifier: Apache-2.0
/* See rule_parse.h. */
#include "network/rule_parse.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 512
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

struct word_value {
	const char *word;
	unsigned int value;
};

static bool look_up(const struct word_value *table, size_t count,
		    const char *word, unsigned int *value)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(table[i].word, word) == 0) {
			*value = table[i].value;
			return true;
		}
	return false;
}

/* A decimal number up to most that ends at *end or at the text's end. */
static bool number(const char *text, char end, unsigned int most,
		   unsigned int *value, const char **rest)
{
	unsigned int n = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (unsigned int)(*p - '0');
		if (n > most)
			return false;
	}
	if (p == text || (*p && *p != end))
		return false;
	*value = n;
	*rest = p;
	return true;
}

/* A domain's name, up to its end or to a colon. */
static bool read_name(const char *text, char name[CONFIG_NAME_MAX],
		      const char **rest)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";
	size_t length = strspn(text, letters);

	if (length == 0 || length >= CONFIG_NAME_MAX || strchr("._-", *text) ||
	    (text[length] && text[length] != ':'))
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	*rest = text + length;
	return true;
}

/* DOMAIN or DOMAIN:VIF. A name is left in name, without a number. */
static bool read_vif(const char *text, uint32_t *domain_id, uint16_t *vif,
		     char name[CONFIG_NAME_MAX])
{
	size_t digits = strspn(text, "0123456789");
	unsigned int d = 0, v = XENO_RULE_ANY_VIF;
	const char *rest;

	*name = '\0';
	if (text[digits] == '\0' || text[digits] == ':') {
		if (!number(text, ':', XENO_DOMAIN_BACKEND - 1, &d, &rest))
			return false;
	} else if (!read_name(text, name, &rest)) {
		return false;
	}
	if (*rest &&
	    !number(rest + 1, '\0', XENO_VIFS_PER_DOMAIN - 1, &v, &rest))
		return false;
	*domain_id = d;
	*vif = (uint16_t)v;
	return true;
}

static bool read_interface(struct given_rule *g, const char *text)
{
	struct xeno_rule *r = &g->rule;

	if (strcmp(text, "any") == 0 || strcmp(text, "uplink") == 0) {
		r->domain_id =
			*text == 'a' ? XENO_RULE_ANY_DOMAIN : XENO_RULE_UPLINK;
		r->vif = XENO_RULE_ANY_VIF;
		return true;
	}
	return read_vif(text, &r->domain_id, &r->vif, g->name);
}

/* All addresses of a rule are of one family. */
static bool set_family(struct xeno_rule *r, uint8_t family)
{
	if (r->family && r->family != family)
		return false;
	r->family = family;
	return true;
}

static bool read_address(struct xeno_rule *r, const char *text,
			 uint8_t address[16], uint8_t *prefix)
{
	char copy[64];
	char *slash;
	const char *rest;
	unsigned int bits, most;

	if (strlen(text) >= sizeof(copy))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, copy, address) == 1 && set_family(r, 4))
		most = 32;
	else if (inet_pton(AF_INET6, copy, address) == 1 && set_family(r, 6))
		most = 128;
	else
		return false;
	bits = most;
	if (slash && (!prefix || !number(slash + 1, '\0', most, &bits, &rest)))
		return false;
	if (prefix)
		*prefix = (uint8_t)bits;
	return true;
}

static bool read_ports(const char *text, uint16_t *first, uint16_t *last)
{
	unsigned int a, b;
	const char *rest;

	if (!number(text, '-', 65535, &a, &rest))
		return false;
	b = a;
	if (*rest && !number(rest + 1, '\0', 65535, &b, &rest))
		return false;
	*first = (uint16_t)a;
	*last = (uint16_t)b;
	return a <= b;
}

static bool read_protocol(struct xeno_rule *r, const char *text)
{
	static const struct word_value known[] = {
		{ "tcp", 6 }, { "udp", 17 }, { "icmp", 1 }, { "icmp6", 58 }
	};
	unsigned int value;
	const char *rest;

	if (!look_up(known, LENGTH(known), text, &value) &&
	    !number(text, '\0', 255, &value, &rest))
		return false;
	r->protocol = (uint8_t)value;
	return true;
}

static bool read_word(struct given_rule *g, const char *word, const char *value)
{
	struct xeno_rule *r = &g->rule;
	uint16_t last;

	if (strcmp(word, "protocol") == 0)
		return read_protocol(r, value);
	if (strcmp(word, "source") == 0)
		return read_address(r, value, r->source, &r->source_prefix);
	if (strcmp(word, "target") == 0)
		return read_address(r, value, r->target, &r->target_prefix);
	if (strcmp(word, "sport") == 0)
		return read_ports(value, &r->source_port_first,
				  &r->source_port_last);
	if (strcmp(word, "dport") == 0)
		return read_ports(value, &r->target_port_first,
				  &r->target_port_last);
	if (r->action != XENO_RULE_REDIRECT)
		return false;
	if (strcmp(word, "to-address") == 0)
		return read_address(r, value, r->redirect_address, NULL);
	if (strcmp(word, "to-port") == 0)
		return read_ports(value, &r->redirect_port, &last) &&
		       r->redirect_port == last;
	return strcmp(word, "to-vif") == 0 &&
	       read_vif(value, &r->redirect_domain_id, &r->redirect_vif,
			g->redirect_name) &&
	       r->redirect_vif != XENO_RULE_ANY_VIF;
}

static char *next_word(char **line)
{
	char *w;

	do
		w = strsep(line, " \t\r");
	while (w && !*w);
	return w;
}

/* What is wrong, or NULL. first is the line's first word. */
static const char *read_rule(struct given_rule *g, const char *first,
			     char *line)
{
	static const struct word_value actions[] = {
		{ "accept", XENO_RULE_ACCEPT },
		{ "drop", XENO_RULE_DROP },
		{ "count", XENO_RULE_COUNT },
		{ "redirect", XENO_RULE_REDIRECT },
	};
	static const struct word_value directions[] = {
		{ "from", XENO_RULE_FROM },
		{ "to", XENO_RULE_TO },
		{ "both", XENO_RULE_BOTH },
	};
	const char *direction = next_word(&line), *interface = next_word(&line);
	unsigned int value;
	struct xeno_rule *r = &g->rule;
	const char *word;

	memset(g, 0, sizeof(*g));
	r->source_port_last = r->target_port_last = 65535;
	if (!look_up(actions, LENGTH(actions), first, &value))
		return "accept, drop, count or redirect";
	r->action = (uint8_t)value;
	if (!direction ||
	    !look_up(directions, LENGTH(directions), direction, &value))
		return "from, to or both";
	r->direction = (uint8_t)value;
	if (!interface || !read_interface(g, interface))
		return "any, uplink, DOMAIN or DOMAIN:VIF";
	while ((word = next_word(&line))) {
		const char *word_value = next_word(&line);

		if (!word_value || !read_word(g, word, word_value))
			return "a word that is not known, or not with this value";
	}
	return NULL;
}

int rules_parse(struct given_rule *out, uint32_t most, uint32_t *count,
		const char *text, struct error *err)
{
	*count = 0;
	for (unsigned int n = 1; *text; n++) {
		size_t length = strcspn(text, "\n");
		char buffer[LINE_BYTES_MAX];
		char *line = buffer;
		const char *first, *wrong;

		if (length >= sizeof(buffer))
			return error_set(err, ERR_INVALID, "line %u: too long",
					 n);
		memcpy(buffer, text, length);
		buffer[length] = '\0';
		text += length + (text[length] == '\n');
		first = next_word(&line);
		if (!first || *first == '#')
			continue;
		if (*count == most)
			return error_set(err, ERR_INVALID, "more than %u rules",
					 most);
		wrong = read_rule(&out[*count], first, line);
		if (wrong)
			return error_set(err, ERR_INVALID, "line %u: %s", n,
					 wrong);
		out[*count].line = n;
		++*count;
	}
	return 0;
}

const char *rule_part(uint32_t byte)
{
#define FIELD(name) offsetof(struct xeno_rule, name)
	static const struct {
		size_t byte;
		const char *part;
	} parts[] = {
		{ FIELD(action), "its action" },
		{ FIELD(direction), "its direction" },
		{ FIELD(family), "its addresses" },
		{ FIELD(protocol), "its protocol" },
		{ FIELD(domain_id), "its interface" },
		{ FIELD(vif), "its interface" },
		{ FIELD(source_prefix), "source" },
		{ FIELD(target_prefix), "target" },
		{ FIELD(source_port_first), "sport" },
		{ FIELD(target_port_first), "dport" },
		{ FIELD(target_port_last), "dport" },
		{ FIELD(redirect_domain_id), "to-vif" },
		{ FIELD(redirect_vif), "to-vif" },
		{ FIELD(redirect_port), "to-port" },
		{ FIELD(redirect_address), "to-address" },
	};
#undef FIELD

	for (size_t i = 0; i < LENGTH(parts); i++)
		if (parts[i].byte == byte)
			return parts[i].part;
	return "something";
}
