// SPDX-License-Identifier: Apache-2.0
/* The machine's network, see machine.h: what interfaces have carried, and the
 * rules of the firewall-router. */
#include <string.h>

#include <xeno/meter_page.h>

#include "serve/machine_calls.h"

struct vif_question {
	const char *handle;
	struct machine_vif *out;
};

static void copy_vif(struct machine_vif *out, const struct xeno_meter_vif *v)
{
	*out = (struct machine_vif){
		.tx_packets = v->tx_packets,
		.tx_bytes = v->tx_bytes,
		.rx_packets = v->rx_packets,
		.rx_bytes = v->rx_bytes,
	};
	memcpy(out->tx_drops, v->tx_drops, sizeof(out->tx_drops));
	memcpy(out->rx_drops, v->rx_drops, sizeof(out->rx_drops));
}

static int perform_vifs(void *context, struct guests *guests, struct error *err)
{
	const struct vif_question *q = context;
	const struct guest *g = guests_find(guests, q->handle, err);
	/* Large; of the reactor's thread. */
	static struct xeno_meter_page page;

	if (!g || hv_meter_read(guests->hv, g->id, &page, err))
		return -1;
	for (unsigned int i = 0; i < g->config.vif_count; i++)
		copy_vif(&q->out[i], &page.vifs[i]);
	return 0;
}

int machine_vif_counters(void *self, const char *handle,
			 struct machine_vif out[CONFIG_VIFS_MAX],
			 struct error *err)
{
	struct vif_question q = { handle, out };

	memset(out, 0, CONFIG_VIFS_MAX * sizeof(*out));
	return guest_machine_ask(self, perform_vifs, &q, err);
}

struct rule_question {
	const char *text;
	struct machine_rule_fault *fault;
	struct strbuf *old;
	struct machine_rule_counter *out;
	uint32_t most, count;
};

static int perform_set(void *context, struct guests *guests, struct error *err)
{
	const struct rule_question *q = context;

	*q->fault = (struct machine_rule_fault){ .line = 0 };
	if (guests_set_rules(guests, q->text, err) == 0)
		return 0;
	q->fault->line = guests->rules.refused.line;
	q->fault->part = guests->rules.refused.part;
	return -1;
}

int machine_rules_set(void *self, const char *text,
		      struct machine_rule_fault *fault, struct error *err)
{
	struct rule_question q = { .text = text, .fault = fault };

	return guest_machine_ask(self, perform_set, &q, err);
}

static int perform_text(void *context, struct guests *guests, struct error *err)
{
	const struct rule_question *q = context;
	const struct rule_policy *p = guests->rules.now.policy;

	(void)err;
	strbuf_add(q->old, "%s", p ? p->text : "");
	return 0;
}

int machine_rules_text(void *self, struct strbuf *out, struct error *err)
{
	struct rule_question q = { .old = out };

	return guest_machine_ask(self, perform_text, &q, err);
}

static int perform_counters(void *context, struct guests *guests,
			    struct error *err)
{
	struct rule_question *q = context;
	const struct rule_policy *p;

	if (rules_count(&guests->rules, err))
		return -1;
	p = guests->rules.now.policy;
	for (uint32_t i = 0; p && i < p->count && i < q->most; i++)
		q->out[q->count++] = (struct machine_rule_counter){
			.packets = p->rules[i].total.packets,
			.bytes = p->rules[i].total.bytes,
			.in_force = p->rules[i].slot != RULE_LEFT_OUT,
		};
	return 0;
}

int machine_rules_counters(void *self, struct machine_rule_counter *out,
			   uint32_t most, struct error *err)
{
	struct rule_question q = { .out = out, .most = most };

	return guest_machine_ask(self, perform_counters, &q, err)
		       ? -1
		       : (int)q.count;
}
