/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of the firewall-router from text, one a line. Pure.
 *
 *   ACTION DIRECTION INTERFACE [WORD VALUE]...
 *
 * ACTION: accept, drop, count, redirect. DIRECTION: from, to, both. INTERFACE:
 * any, uplink, DOMAIN or DOMAIN:VIF, by number. WORD VALUE: protocol tcp, udp,
 * icmp, icmp6 or a number; source and target ADDRESS[/BITS]; sport and dport
 * PORT or FIRST-LAST; redirect's to-vif DOMAIN:VIF, to-address ADDRESS and
 * to-port PORT. # starts a comment line.
 */
#ifndef NETWORK_RULE_PARSE_H
#define NETWORK_RULE_PARSE_H

#include <stddef.h>

#include <xeno/vif.h>

#include "util/error.h"

/* out has room for most rules; *count gets how many there are. */
int rules_parse(struct xeno_rule *out, uint32_t most, uint32_t *count,
		const char *text, struct error *err);

#endif
