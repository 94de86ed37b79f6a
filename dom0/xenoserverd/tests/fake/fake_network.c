// SPDX-License-Identifier: Apache-2.0
/* The network of the fake machine, see fake_machine.h. Rules are read by the
 * real parser; of what a hypervisor refuses, it knows a redirection without a
 * single target, and more than FAKE_RANGES_MOST ranges of ports. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_machine.h"
#include "network/rule_parse.h"
#include "util/durable_file.h"

#define PATH_BYTES 256
#define FAKE_RANGES_MOST 64

static FILE *open_file(const void *self, const char *name)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s", (const char *)self, name);
	return fopen(path, "re");
}

static bool read_vif(FILE *f, struct machine_vif *v)
{
	uint64_t *fields = &v->tx_packets;

	_Static_assert(sizeof(*v) == 20 * sizeof(uint64_t), "20 numbers");
	for (int i = 0; i < 20; i++)
		if (fscanf(f, "%" SCNu64, &fields[i]) != 1)
			return false;
	return true;
}

int fake_vif_counters(void *self, const char *handle,
		      struct machine_vif out[CONFIG_VIFS_MAX],
		      struct error *err)
{
	struct machine m = { .self = self };
	char name[64];
	FILE *f;

	memset(out, 0, CONFIG_VIFS_MAX * sizeof(*out));
	snprintf(name, sizeof(name), "%s.domain", handle);
	if (!fake_machine_has(&m, name))
		return error_set(err, ERR_NOT_FOUND, "no domain %s", handle);
	snprintf(name, sizeof(name), "%s.vifs", handle);
	f = open_file(self, name);
	for (int i = 0; f && i < CONFIG_VIFS_MAX && read_vif(f, &out[i]); i++)
		;
	if (f)
		fclose(f);
	return 0;
}

static const char *wrong_part(const struct xeno_rule *r)
{
	if (r->action != XENO_RULE_REDIRECT)
		return NULL;
	if (r->domain_id != XENO_RULE_UPLINK)
		return "its interface";
	return r->target_port_first == r->target_port_last ? NULL : "dport";
}

static int check(const char *text, struct machine_rule_fault *fault,
		 struct error *err)
{
	struct given_rule *rules = calloc(XENO_RULES_MAX, sizeof(*rules));
	uint32_t count, ranges = 0;
	int rc = rules_parse(rules, XENO_RULES_MAX, &count, text, err);

	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		const struct xeno_rule *r = &rules[i].rule;

		fault->part = wrong_part(r);
		ranges += r->target_port_first != r->target_port_last &&
			  r->target_port_last != 65535;
		if (!fault->part && ranges <= FAKE_RANGES_MOST)
			continue;
		fault->line = rules[i].line;
		rc = error_set(err, ERR_INVALID, "line %u", fault->line);
	}
	free(rules);
	return rc;
}

int fake_rules_set(void *self, const char *text,
		   struct machine_rule_fault *fault, struct error *err)
{
	struct machine m = { .self = self };
	char path[PATH_BYTES];

	*fault = (struct machine_rule_fault){ .line = 0 };
	while (fake_machine_has(&m, "stall-rules"))
		usleep(5000);
	if (check(text, fault, err))
		return -1;
	fake_machine_switch(&m, "rules.counts", false);
	snprintf(path, sizeof(path), "%s/rules", (const char *)self);
	return durable_file_replace(path, text, strlen(text), err);
}

int fake_rules_text(void *self, struct strbuf *out, struct error *err)
{
	FILE *f = open_file(self, "rules");
	char bytes[4096];
	size_t n;

	(void)err;
	strbuf_add_bytes(out, "", 0);
	while (f && (n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		strbuf_add_bytes(out, bytes, n);
	if (f)
		fclose(f);
	return 0;
}

int fake_rules_counters(void *self, struct machine_rule_counter *out,
			uint32_t most, struct error *err)
{
	struct given_rule *rules = calloc(XENO_RULES_MAX, sizeof(*rules));
	FILE *f = open_file(self, "rules.counts");
	struct strbuf text = { .text = NULL };
	uint32_t count = 0;

	fake_rules_text(self, &text, err);
	if (text.text)
		rules_parse(rules, XENO_RULES_MAX, &count, text.text, err);
	strbuf_clear(&text);
	free(rules);
	for (uint32_t i = 0; i < count && i < most; i++) {
		out[i] = (struct machine_rule_counter){ .in_force = true };
		if (f && fscanf(f, "%" SCNu64 " %" SCNu64, &out[i].packets,
				&out[i].bytes) != 2)
			break;
	}
	if (f)
		fclose(f);
	return (int)count;
}
