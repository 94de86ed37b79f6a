// SPDX-License-Identifier: Apache-2.0
/* See verbs.h. A verb is a row of the table at the end. */
#include "serve/verbs.h"

#include <inttypes.h>
#include <string.h>

#include <xen/sched.h>
#include <xen/xen.h>
#include <xeno/meter_page.h>

#include "xenstore/domain_nodes.h"

/* Domains listed at most. */
#define LIST_MAX 1024

struct verb_call {
	struct guests *all;
	char *const *words; /* of the arguments */
	unsigned int count;
	struct guest *guest; /* named by the first word, if the verb wants it */
	struct strbuf *out;
};

static const char *state_word(const struct hv_domain *d)
{
	switch (d->state) {
	case HV_SHUT_DOWN:
		return d->shutdown_code == SHUTDOWN_crash ? "crashed" : "ended";
	case HV_DYING:
		return "dying";
	case HV_BUILDING:
		return "building";
	default:
		return d->paused ? "paused" : "running";
	}
}

static int do_create(struct verb_call *c, struct error *err)
{
	struct guest *g;

	if (guests_create(c->all, c->words[0], &g, err))
		return -1;
	strbuf_add(c->out, "domain %u %s\n", g->id, g->config.name);
	return 0;
}

static int do_list(struct verb_call *c, struct error *err)
{
	static struct hv_domain domains[LIST_MAX];
	int count = hv_domain_list(c->all->hv, 0, domains, LIST_MAX, err);

	if (count < 0)
		return -1;
	strbuf_add(c->out, "%5s %-20s %-8s %5s %8s %12s\n", "id", "name",
		   "state", "vcpus", "MiB", "cpu_ms");
	for (int i = 0; i < count; i++) {
		const struct hv_domain *d = &domains[i];
		const struct guest *g = guests_by_id(c->all, d->id);

		strbuf_add(c->out,
			   "%5u %-20s %-8s %5u %8" PRIu64 " %12" PRIu64 "\n",
			   d->id,
			   g       ? g->config.name
			   : d->id ? "-"
				   : "Domain-0",
			   state_word(d), d->vcpus, d->pages / 256,
			   d->cpu_ns / 1000000);
	}
	return 0;
}

static int do_info(struct verb_call *c, struct error *err)
{
	const struct guest *g = c->guest;
	struct hv_domain d;
	char reason[80];

	if (hv_domain_info(c->all->hv, g->id, &d, err))
		return -1;
	hv_crash_reason(c->all->hv, g->id, reason, sizeof(reason));
	strbuf_add(c->out,
		   "id=%u\nname=%s\nstate=%s\nshutdown_code=%u\nvcpus=%u\n"
		   "memory_kib=%" PRIu64 "\nmax_memory_kib=%" PRIu64
		   "\ncpu_ns=%" PRIu64 "\ncrash_reason=%s\n",
		   d.id, g->config.name, state_word(&d),
		   d.state == HV_SHUT_DOWN ? d.shutdown_code : 0, d.vcpus,
		   d.pages * 4, d.max_pages * 4, d.cpu_ns, reason);
	return 0;
}

static uint64_t sum_of(const uint64_t *values, unsigned int count)
{
	uint64_t sum = 0;

	while (count--)
		sum += values[count];
	return sum;
}

/* What it has used so far: its meter page. */
static int do_meter(struct verb_call *c, struct error *err)
{
	static struct xeno_meter_page m;

	if (hv_meter_read(c->all->hv, c->guest->id, &m, err))
		return -1;
	for (uint32_t i = 0; i < c->guest->config.vcpus; i++)
		strbuf_add(c->out, "vcpu %u cpu_ns=%" PRIu64 "\n", i,
			   m.cpu_ns[i]);
	for (unsigned int i = 0; i < XENO_VBDS_PER_DOMAIN; i++) {
		const struct xeno_meter_vbd *v = &m.vbds[i];

		if (v->in_use)
			strbuf_add(
				c->out,
				"vbd %" PRIu64 " read_requests=%" PRIu64
				" read_bytes=%" PRIu64
				" write_requests=%" PRIu64
				" write_bytes=%" PRIu64 " errors=%" PRIu64 "\n",
				v->vbd, v->read_requests, v->read_bytes,
				v->write_requests, v->write_bytes, v->errors);
	}
	for (unsigned int i = 0; i < XENO_VIFS_PER_DOMAIN; i++) {
		const struct xeno_meter_vif *v = &m.vifs[i];

		if (v->in_use)
			strbuf_add(c->out,
				   "vif %u tx_packets=%" PRIu64
				   " tx_bytes=%" PRIu64 " rx_packets=%" PRIu64
				   " rx_bytes=%" PRIu64 " tx_drops=%" PRIu64
				   " rx_drops=%" PRIu64 "\n",
				   i, v->tx_packets, v->tx_bytes, v->rx_packets,
				   v->rx_bytes, sum_of(v->tx_drops, XENO_DROPS),
				   sum_of(v->rx_drops, XENO_DROPS));
	}
	return 0;
}

static int do_pause(struct verb_call *c, struct error *err)
{
	return hv_domain_pause(c->all->hv, c->guest->id, err);
}

static int do_unpause(struct verb_call *c, struct error *err)
{
	return hv_domain_unpause(c->all->hv, c->guest->id, err);
}

static int do_shutdown(struct verb_call *c, struct error *err)
{
	return domain_nodes_shutdown(c->all->store, c->guest->id, "poweroff",
				     err);
}

static int do_reboot(struct verb_call *c, struct error *err)
{
	return domain_nodes_shutdown(c->all->store, c->guest->id, "reboot",
				     err);
}

static int do_destroy(struct verb_call *c, struct error *err)
{
	return guests_destroy(c->all, c->guest, err);
}

static int do_balloon(struct verb_call *c, struct error *err)
{
	uint64_t bytes;

	if (!parse_size(c->words[1], &bytes) ||
	    bytes > c->guest->config.max_memory_bytes)
		return error_set(err, ERR_INVALID,
				 "no size up to the domain's max_memory");
	return domain_nodes_set_target(c->all->store, c->guest->id,
				       bytes / 1024, err);
}

/* A number up to most; -1: none. */
static int64_t number(const char *text, uint32_t most)
{
	int64_t value = 0;

	if (!*text)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		value = value * 10 + (*text - '0');
		if (value > most)
			return -1;
	}
	return value;
}

static int do_vcpus(struct verb_call *c, struct error *err)
{
	uint32_t all = c->guest->config.vcpus;
	int64_t count = number(c->words[1], all);

	if (count < 1)
		return error_set(err, ERR_INVALID, "vCPUs: 1 to %u", all);
	return domain_nodes_set_vcpus(c->all->store, c->guest->id,
				      (uint32_t)count, all, err);
}

/* sched NAME [WEIGHT [CAP]] */
static int do_sched(struct verb_call *c, struct error *err)
{
	struct hv_sched s;

	if (hv_sched_get(c->all->hv, c->guest->id, &s, err))
		return -1;
	if (c->count > 1) {
		int64_t weight = number(c->words[1], 65535);
		int64_t cap = c->count > 2 ? number(c->words[2], 64000)
					   : s.cap_permille;

		if (weight < 1 || cap < 0)
			return error_set(err, ERR_INVALID,
					 "weight 1 to 65535, cap up to 64000");
		s.weight = (uint32_t)weight;
		s.cap_permille = (uint32_t)cap;
		if (hv_sched_set(c->all->hv, c->guest->id, &s, err))
			return -1;
	}
	strbuf_add(c->out,
		   "weight=%u\ncap_permille=%u\nwarp_ns=%" PRIu64
		   "\nwarp_limit_ns=%" PRIu64 "\nunwarp_min_ns=%" PRIu64 "\n",
		   s.weight, s.cap_permille, s.warp_ns, s.warp_limit_ns,
		   s.unwarp_min_ns);
	return 0;
}

/* rules [FILE]: with a file's text they are replaced; in any case the totals of
 * all are printed. */
static int do_rules(struct verb_call *c, struct error *err)
{
	if (c->count && guests_set_rules(c->all, c->words[0], err))
		return -1;
	return rules_print(&c->all->rules, c->out, err);
}

static int do_help(struct verb_call *c, struct error *err);

static const struct verb {
	const char *name;
	const char *arguments;
	unsigned int least, most; /* words after the verb */
	bool wants_guest;
	int (*perform)(struct verb_call *c, struct error *err);
} verbs[] = {
	{ "help", "", 0, 0, false, do_help },
	/* The tool sends the file's text. */
	{ "create", "FILE", 1, 1, false, do_create },
	{ "list", "", 0, 0, false, do_list },
	{ "info", "DOMAIN", 1, 1, true, do_info },
	{ "meter", "DOMAIN", 1, 1, true, do_meter },
	{ "pause", "DOMAIN", 1, 1, true, do_pause },
	{ "unpause", "DOMAIN", 1, 1, true, do_unpause },
	{ "shutdown", "DOMAIN", 1, 1, true, do_shutdown },
	{ "reboot", "DOMAIN", 1, 1, true, do_reboot },
	{ "destroy", "DOMAIN", 1, 1, true, do_destroy },
	{ "balloon", "DOMAIN SIZE", 2, 2, true, do_balloon },
	{ "vcpus", "DOMAIN COUNT", 2, 2, true, do_vcpus },
	{ "rules", "[FILE]", 0, 1, false, do_rules },
	{ "sched", "DOMAIN [WEIGHT [CAP]]", 1, 3, true, do_sched },
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int do_help(struct verb_call *c, struct error *err)
{
	(void)err;
	for (size_t i = 0; i < VERBS; i++)
		strbuf_add(c->out, "  %s %s\n", verbs[i].name,
			   verbs[i].arguments);
	return 0;
}

int verb_perform(struct guests *all, char *const *words, unsigned int count,
		 struct strbuf *out, struct error *err)
{
	struct verb_call call = {
		.all = all, .words = words + 1, .count = count - 1, .out = out
	};
	const struct verb *v = verbs;

	while (v < verbs + VERBS && strcmp(v->name, words[0]) != 0)
		v++;
	if (v == verbs + VERBS)
		return error_set(err, ERR_INVALID, "no verb %s", words[0]);
	if (call.count < v->least || call.count > v->most)
		return error_set(err, ERR_INVALID, "%s %s", v->name,
				 v->arguments);
	if (v->wants_guest) {
		call.guest = guests_find(all, call.words[0], err);
		if (!call.guest)
			return -1;
	}
	return v->perform(&call, err);
}
