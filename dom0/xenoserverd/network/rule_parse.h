/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the firewall-router from text, one a line. Pure.
 *
 *   ACTION DIRECTION INTERFACE [WORD VALUE]...
 *
 * ACTION: accept, drop, count, redirect. DIRECTION: from, to, both. INTERFACE:
 * any, uplink, DOMAIN or DOMAIN:VIF. DOMAIN is a name, or a number if it has
 * digits only: the domain that has that name, or that number, whenever there is
 * one. WORD VALUE: protocol tcp, udp, icmp, icmp6 or a number; source and
 * target ADDRESS[/BITS]; sport and dport PORT or FIRST-LAST; redirect's to-vif
 * DOMAIN:VIF, to-address ADDRESS and to-port PORT. # starts a comment line.
 */
#ifndef NETWORK_RULE_PARSE_H
#define NETWORK_RULE_PARSE_H

#include <stddef.h>

#include <xeno/vif.h>

#include "model/domain_config.h"
#include "util/error.h"

/* A rule as it was given: the numbers of domains that are named are missing. */
struct given_rule {
	struct xeno_rule rule;
	unsigned int line; /* from 1 */
	/* Whose interface, and to whose it redirects; "": by number, or no
	 * domain's. */
	char name[CONFIG_NAME_MAX], redirect_name[CONFIG_NAME_MAX];
};

/* out has room for most rules; *count gets how many there are. */
int rules_parse(struct given_rule *out, uint32_t most, uint32_t *count,
		const char *text, struct error *err);

/* What of the text the field at that byte of struct xeno_rule comes from. */
const char *rule_part(uint32_t byte);

#endif
