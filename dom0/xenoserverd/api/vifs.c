// SPDX-License-Identifier: Apache-2.0
/* /v1/domains/{}/vifs: the interfaces of a domain. What they are is in the
 * store; what they have carried, the machine has to be asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/desk.h"
#include "api/json_write.h"
#include "api/problem.h"
#include "network/vif_plan.h"
#include "store/domain_rows.h"

struct vif_job {
	struct job job;
	char handle[ID_MAX];
	struct machine_vif vifs[CONFIG_VIFS_MAX];
	int rc;
	struct error err;
};

static void ask_machine(struct job *j, struct api *api, struct db *db)
{
	struct vif_job *v = (struct vif_job *)j;
	struct machine *m = api->options.orchestration.machine;

	(void)db;
	v->rc = m->vif_counters(m->self, v->handle, v->vifs, &v->err);
}

static void discard(struct job *j)
{
	free(j);
}

static json_t *drops_json(const uint64_t drops[XENO_DROPS])
{
	static const struct {
		enum xeno_drop drop;
		const char *word;
	} reasons[] = {
		{ XENO_DROP_RULE, "rule" },
		{ XENO_DROP_SPOOFED, "spoofed" },
		{ XENO_DROP_MALFORMED, "malformed" },
		{ XENO_DROP_NO_BUFFER, "no-buffer" },
		{ XENO_DROP_NO_ROUTE, "no-route" },
		{ XENO_DROP_UPLINK, "uplink" },
		{ XENO_DROP_TOO_LONG, "too-long" },
	};
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		json_object_set_new(
			all, reasons[i].word,
			json_integer((json_int_t)drops[reasons[i].drop]));
	return all;
}

/* NULL: it does not run. */
static json_t *counters_json(const struct machine_vif *v)
{
	if (!v)
		return json_null();
	return json_pack(
		"{sI sI sI sI so so}", "tx_packets", (json_int_t)v->tx_packets,
		"tx_bytes", (json_int_t)v->tx_bytes, "rx_packets",
		(json_int_t)v->rx_packets, "rx_bytes", (json_int_t)v->rx_bytes,
		"tx_drops", drops_json(v->tx_drops), "rx_drops",
		drops_json(v->rx_drops));
}

/* The given one, or the one that is made up at each start. */
static json_t *mac_json(const struct domain *d, unsigned int i)
{
	struct vif_config c = { .has_mac = false };
	struct xeno_vif_create plan;

	if (*d->spec.nics[i].mac)
		return json_string(d->spec.nics[i].mac);
	vif_plan(&plan, 0, i, d->id, &c);
	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", plan.mac[0],
			    plan.mac[1], plan.mac[2], plan.mac[3], plan.mac[4],
			    plan.mac[5]);
}

static void answer_vifs(struct answer *a, const struct domain *d,
			const struct machine_vif *counters)
{
	json_t *items = json_array();

	for (unsigned int i = 0; i < d->spec.nic_count; i++) {
		const struct nic_spec *n = &d->spec.nics[i];
		json_t *addresses = json_array();

		for (unsigned int j = 0; j < n->address_count; j++)
			json_array_append_new(addresses,
					      json_string(n->addresses[j]));
		json_array_append_new(
			items, json_pack("{si so so so}", "vif", (int)i, "mac",
					 mac_json(d, i), "addresses", addresses,
					 "counters",
					 counters_json(counters ? &counters[i]
								: NULL)));
	}
	answer_json(a, 200, json_pack("{so}", "items", items));
}

static void submit(struct request *r, const struct domain *d)
{
	struct vif_job *v = calloc(1, sizeof(*v));

	if (!v)
		return;
	v->job.perform = ask_machine;
	v->job.discard = discard;
	memcpy(v->handle, d->id, sizeof(v->handle));
	desk_submit(r, &v->job);
}

void vifs_get(struct request *r, struct answer *a)
{
	const struct vif_job *v;
	struct domain d;
	struct error err;

	if (domain_find(r->db, request_tenant(r), r->words[0], &d, &err)) {
		answer_error(r, a, &err);
		return;
	}
	if (!d.number || !d.spec.nic_count) {
		answer_vifs(a, &d, NULL);
		return;
	}
	if (!r->job)
		submit(r, &d);
	if (!r->job) {
		error_fill(&err, ERR_SYSTEM, "no memory");
		answer_error(r, a, &err);
		return;
	}
	if (!desk_await(r, a))
		return;
	v = (const struct vif_job *)r->job;
	if (v->rc && v->err.code != ERR_NOT_FOUND)
		answer_error(r, a, &v->err);
	else
		answer_vifs(a, &d, v->rc ? NULL : v->vifs);
}
