// SPDX-License-Identifier: Apache-2.0
/* See sources.h. */
#include "metering/sources.h"

#include <stdio.h>

static void put(struct shown_list *out, enum acct_meter meter, uint32_t device,
		uint64_t value)
{
	if (out->count < SHOWN_MAX)
		out->list[out->count++] =
			(struct shown){ meter, device, value };
}

static struct meter_vbd vbd_of(const struct machine_meters *m, uint32_t number)
{
	for (unsigned int i = 0; m && i < m->vbd_count; i++)
		if (m->vbds[i].number == number)
			return m->vbds[i];
	return (struct meter_vbd){ .number = number };
}

static struct meter_vif vif_of(const struct machine_meters *m, uint32_t number)
{
	for (unsigned int i = 0; m && i < m->vif_count; i++)
		if (m->vifs[i].number == number)
			return m->vifs[i];
	return (struct meter_vif){ .number = number };
}

void shown_by_run(const struct domain *d, const struct machine_meters *m,
		  struct shown_list *out)
{
	const struct domain_spec *spec = &d->spec;

	out->count = 0;
	for (uint32_t i = 0; i < spec->vcpus; i++)
		put(out, ACCT_VCPU, i,
		    m && i < m->vcpu_count ? m->cpu_ns[i] : 0);
	put(out, ACCT_MEMORY, 0, spec->memory_bytes);
	for (unsigned int i = 0; i < spec->disk_count; i++) {
		struct meter_vbd v =
			vbd_of(m, disk_number(spec->disks[i].device));

		put(out, ACCT_READ_REQUESTS, v.number, v.read_requests);
		put(out, ACCT_READ_BYTES, v.number, v.read_bytes);
		put(out, ACCT_WRITE_REQUESTS, v.number, v.write_requests);
		put(out, ACCT_WRITE_BYTES, v.number, v.write_bytes);
	}
	for (unsigned int i = 0; i < spec->nic_count; i++) {
		struct meter_vif v = vif_of(m, i);

		put(out, ACCT_NET_SENT, i, v.sent_bytes);
		put(out, ACCT_NET_RECEIVED, i, v.received_bytes);
	}
}

void shown_by_volumes(const struct domain *d, struct shown_list *out)
{
	out->count = 0;
	for (unsigned int i = 0; i < d->spec.disk_count; i++)
		put(out, ACCT_DISK, disk_number(d->spec.disks[i].device),
		    d->spec.disks[i].size_bytes);
}

static struct acct_source source_of(const struct source_scope *scope,
				    const struct shown *s)
{
	struct acct_source source = { .incarnation = scope->incarnation,
				      .meter = s->meter,
				      .device = s->device };

	snprintf(source.domain, sizeof(source.domain), "%s", scope->domain->id);
	return source;
}

static int last_row(const struct source_scope *scope,
		    const struct acct_source *source, struct acct_entry *out,
		    struct acct_error *err)
{
	return scope->ledger->ops->last_of(scope->ledger, source, UINT64_MAX,
					   out, err);
}

static bool is_level(enum acct_meter meter)
{
	return acct_meter_info(meter)->level;
}

int source_open(const struct source_scope *scope, const struct shown *s,
		int64_t at_ns, bool go_on, struct acct_error *err)
{
	struct acct_source source = source_of(scope, s);
	struct acct_reading r = { at_ns, is_level(s->meter) ? s->value : 0 };
	struct acct_entry last;
	int found = last_row(scope, &source, &last, err);

	if (found < 0)
		return -1;
	if (found && !(last.usage.flags & ACCT_FINAL))
		return 0;
	if (found && go_on) {
		r.at_ns = last.usage.end_ns;
		if (!is_level(s->meter))
			r.value = last.usage.end_value;
	}
	return acct_ledger_open(scope->ledger, &source, scope->domain->tenant,
				&r, err);
}

static bool worth_a_row(const struct shown *s, const struct acct_entry *last,
			const struct source_reading *r)
{
	if (r->final || s->value != last->usage.end_value)
		return true;
	return is_level(s->meter) && last->usage.end_ns <= r->level_since_ns &&
	       last->usage.end_ns < r->at_ns;
}

int source_read(const struct source_scope *scope, const struct shown *s,
		const struct source_reading *r, struct acct_error *err)
{
	struct acct_source source = source_of(scope, s);
	struct acct_reading reading = { r->at_ns, s->value };
	struct acct_entry last;
	int found = last_row(scope, &source, &last, err);

	if (found == 0) {
		if (source_open(scope, s, r->since_ns, false, err))
			return -1;
		found = last_row(scope, &source, &last, err);
	}
	if (found < 0)
		return -1;
	if (last.usage.flags & ACCT_FINAL || !worth_a_row(s, &last, r))
		return 0;
	return acct_ledger_read(scope->ledger, &source, &reading, r->final,
				err);
}
