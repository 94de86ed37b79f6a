// SPDX-License-Identifier: Apache-2.0
/* See rule_record.h. A line for all, a line for each rule, and the text. */
#include "serve/rule_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "util/durable_file.h"
#include "util/strbuf.h"

#define PATH_BYTES 512
#define LINE_BYTES 192
/* xeno-rules GENERATION STALE RULES RULES-IN-FORCE */
#define HEAD "xeno-rules %" PRIu64 " %u %" PRIu32 " %" PRIu32 "\n"
#define HEAD_SCAN "xeno-rules %" SCNu64 " %u %" SCNu32 " %" SCNu32
/* DOMAIN REDIRECT SLOT TOTAL-PACKETS -BYTES SEEN-PACKETS -BYTES */
#define RULE                                                                   \
	"%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 \
	" %" PRIu64 "\n"
#define RULE_SCAN                                                              \
	"%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64 " %" SCNu64 \
	" %" SCNu64

static void path_of(char path[PATH_BYTES], const char *folder)
{
	snprintf(path, PATH_BYTES, "%s/rules", folder);
}

int rule_record_write(const char *folder, const struct rule_record *record,
		      struct error *err)
{
	const struct rule_policy *p = record->policy;
	struct strbuf file = { .text = NULL };
	char path[PATH_BYTES];
	int rc;

	path_of(path, folder);
	strbuf_add(&file, HEAD, record->generation, record->stale, p->count,
		   p->in_force);
	for (uint32_t i = 0; i < p->count; i++) {
		const struct policy_rule *r = &p->rules[i];

		strbuf_add(&file, RULE, r->domain_id, r->redirect_id, r->slot,
			   r->total.packets, r->total.bytes, r->seen.packets,
			   r->seen.bytes);
	}
	strbuf_add_bytes(&file, p->text, strlen(p->text));
	rc = durable_file_replace(path, file.text, file.length, err);
	strbuf_clear(&file);
	return rc;
}

static int read_text(FILE *f, struct strbuf *text)
{
	char bytes[4096];
	size_t n;

	strbuf_add_bytes(text, "", 0);
	while ((n = fread(bytes, 1, sizeof(bytes), f)) > 0)
		strbuf_add_bytes(text, bytes, n);
	return ferror(f) || strlen(text->text) != text->length ? -1 : 0;
}

/* We wrote it, with these types. */
static bool read_rule(FILE *f, struct policy_rule *r)
{
	char line[LINE_BYTES];

	return fgets(line, sizeof(line), f) &&
	       /* NOLINTNEXTLINE(cert-err34-c) */
	       sscanf(line, RULE_SCAN, &r->domain_id, &r->redirect_id, &r->slot,
		      &r->total.packets, &r->total.bytes, &r->seen.packets,
		      &r->seen.bytes) == 7;
}

/* The lines of the rules, when their number is known to be right. */
static bool read_rules(FILE *f, struct rule_policy *p)
{
	char line[LINE_BYTES];

	rewind(f);
	if (!fgets(line, sizeof(line), f))
		return false;
	for (uint32_t i = 0; i < p->count; i++)
		if (!read_rule(f, &p->rules[i]) ||
		    (p->rules[i].slot != RULE_LEFT_OUT &&
		     p->rules[i].slot >= p->in_force))
			return false;
	return true;
}

static struct rule_policy *read_policy(FILE *f, struct rule_record *record,
				       struct error *err)
{
	struct strbuf text = { .text = NULL };
	struct rule_policy *p = NULL;
	char line[LINE_BYTES];
	uint32_t count, in_force;
	unsigned int stale;

	error_fill(err, ERR_INVALID, "no record of rules");
	if (!fgets(line, sizeof(line), f) ||
	    /* NOLINTNEXTLINE(cert-err34-c) */
	    sscanf(line, HEAD_SCAN, &record->generation, &stale, &count,
		   &in_force) != 4 ||
	    count > XENO_RULES_MAX || in_force > count)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		if (!fgets(line, sizeof(line), f))
			return NULL;
	if (read_text(f, &text) == 0)
		p = rule_policy_new(text.text, err);
	strbuf_clear(&text);
	if (!p)
		return NULL;
	p->in_force = in_force;
	record->stale = stale != 0;
	if (p->count == count && read_rules(f, p))
		return p;
	error_fill(err, ERR_INVALID, "its rules are not those of its text");
	rule_policy_free(p);
	return NULL;
}

int rule_record_read(const char *folder, struct rule_record *record,
		     struct error *err)
{
	char path[PATH_BYTES];
	FILE *f;

	record->policy = NULL;
	path_of(path, folder);
	f = fopen(path, "re");
	if (!f)
		return error_set(err,
				 errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM,
				 "%s: %s", path, strerror(errno));
	record->policy = read_policy(f, record, err);
	fclose(f);
	if (record->policy)
		return 0;
	error_prefix(err, "%s", path);
	return -1;
}
