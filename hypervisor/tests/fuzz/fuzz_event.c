// SPDX-License-Identifier: Apache-2.0
/*
 * Three domains make any sequence of event-channel operations; after each one
 * the result is compared with what the ports' states before it demand, and
 * every channel must name its other end.
 */
#include <stddef.h>
#include <stdint.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/log.h>

#include <arch/host_machine.h>

#include "../fake/domains.h"

static int reset_self(void)
{
	int budget = 1 << 20;

	return event_reset(DOMID_SELF, &budget);
}

#define DOMAINS 3
#define VCPUS 3

struct input {
	const uint8_t *bytes;
	size_t left;
};

static struct domain *doms[DOMAINS];

static uint8_t next(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->bytes++;
}

/* Mostly ports that exist, now and then any number. */
static u32 next_port(struct input *in)
{
	uint8_t b = next(in);

	if (b < 200)
		return b % 24;
	if (b < 240)
		return 216 + b % 24;
	return (u32)next(in) << (b % 32);
}

static struct evtchn_status status_of(struct domain *d, u32 port)
{
	struct evtchn_status op = { .dom = DOMID_SELF, .port = port };
	struct vcpu *was = current_vcpu();

	fake_become(d, 0);
	CHECK(!event_status(&op));
	host_current_vcpu = was;
	return op;
}

static bool open_port(struct domain *d, u32 port)
{
	return port < EVENT_PORTS &&
	       status_of(d, port).status != EVTCHNSTAT_closed;
}

static u32 lowest_free(struct domain *d)
{
	u32 port = 1;

	while (open_port(d, port))
		port++;
	return port;
}

static void check_channels(void)
{
	for (int i = 0; i < DOMAINS; i++) {
		for (u32 port = 0; port < 300; port++) {
			struct evtchn_status s = status_of(doms[i], port), r;

			CHECK(s.vcpu < VCPUS);
			if (s.status != EVTCHNSTAT_interdomain)
				continue;
			CHECK(port > 0 && s.u.interdomain.dom < DOMAINS);
			r = status_of(doms[s.u.interdomain.dom],
				      s.u.interdomain.port);
			CHECK(r.status == EVTCHNSTAT_interdomain);
			CHECK(r.u.interdomain.dom == i);
			CHECK(r.u.interdomain.port == port);
		}
	}
}

static void do_alloc(struct domain *d, struct input *in)
{
	struct evtchn_alloc_unbound op = {
		.dom = DOMID_SELF,
		.remote_dom = next(in) % (DOMAINS + 1),
	};
	u32 expected = lowest_free(d);

	if (op.remote_dom == DOMAINS)
		op.remote_dom = DOMID_SELF;
	CHECK(!event_alloc_unbound(&op));
	CHECK(op.port == expected);
	CHECK(status_of(d, op.port).status == EVTCHNSTAT_unbound);
}

static void do_bind(struct domain *d, struct input *in)
{
	struct evtchn_bind_interdomain op = {
		.remote_dom = next(in) % (DOMAINS + 1),
		.remote_port = next_port(in),
	};
	u32 expected = lowest_free(d);
	bool may = false;
	int rc;

	if (op.remote_dom < DOMAINS && op.remote_port < EVENT_PORTS) {
		struct evtchn_status s =
			status_of(doms[op.remote_dom], op.remote_port);

		may = s.status == EVTCHNSTAT_unbound &&
		      s.u.unbound.dom == d->id;
	}
	rc = event_bind_interdomain(&op);
	CHECK(rc == (may ? 0 : op.remote_dom < DOMAINS ? -EINVAL : -ESRCH));
	if (may) {
		CHECK(op.local_port == expected);
		CHECK(event_port_pending(d, op.local_port));
	}
}

static void do_close(struct domain *d, u32 port)
{
	bool was_open = open_port(d, port);

	CHECK(event_close(d, port) == (was_open ? 0 : -EINVAL));
	CHECK(!was_open || !event_port_pending(d, port));
	CHECK(!open_port(d, port));
}

static void do_send(struct domain *d, u32 port)
{
	struct evtchn_status s = { .status = EVTCHNSTAT_closed };
	int rc = event_send(d, port);

	if (port < EVENT_PORTS)
		s = status_of(d, port);
	switch (s.status) {
	case EVTCHNSTAT_interdomain:
		CHECK(!rc && event_port_pending(doms[s.u.interdomain.dom],
						s.u.interdomain.port));
		break;
	case EVTCHNSTAT_ipi:
		CHECK(!rc && event_port_pending(d, port));
		break;
	case EVTCHNSTAT_unbound:
		CHECK(!rc);
		break;
	default:
		CHECK(rc == -EINVAL);
		break;
	}
}

static void do_virq(struct domain *d, struct input *in)
{
	struct evtchn_bind_virq op = {
		.virq = next(in) % (NR_VIRQS + 2),
		.vcpu = next(in) % (VCPUS + 1),
	};
	int rc = event_bind_virq(&op);

	CHECK(!rc || rc == -EINVAL || rc == -ENOENT || rc == -EEXIST);
	if (rc != 0 && rc != -EEXIST)
		return;
	CHECK(op.virq < NR_VIRQS && op.vcpu < VCPUS);
	CHECK(d->vcpus[op.vcpu]->virq_port[op.virq] != 0);
	if (!rc)
		CHECK(status_of(d, op.port).u.virq == op.virq);
	event_virq_vcpu(d->vcpus[op.vcpu], op.virq);
	CHECK(event_port_pending(d, d->vcpus[op.vcpu]->virq_port[op.virq]));
}

/* A hostile guest scribbles over what it shares with us. */
static void scribble(struct domain *d, struct input *in)
{
	u64 *words = (u64 *)d->shared_info;
	u32 i = next(in) * 2U;

	if (i < sizeof(struct shared_info) / sizeof(u64))
		words[i] = next(in) * 0x0101010101010101UL;
}

static void step(struct input *in)
{
	uint8_t op = next(in);
	struct domain *d = doms[(op >> 4) % DOMAINS];
	struct evtchn_bind_ipi ipi;
	u32 port;

	fake_become(d, 0);
	switch (op % 12) {
	case 0:
	case 1:
		do_alloc(d, in);
		break;
	case 2:
	case 3:
		do_bind(d, in);
		break;
	case 4:
		do_close(d, next_port(in));
		break;
	case 5:
	case 6:
		do_send(d, next_port(in));
		break;
	case 7:
		do_virq(d, in);
		break;
	case 8:
		ipi.vcpu = next(in) % (VCPUS + 1);
		CHECK(event_bind_ipi(&ipi) == (ipi.vcpu < VCPUS ? 0 : -ENOENT));
		break;
	case 9:
		port = next_port(in);
		if (event_bind_vcpu(d, port, next(in) % (VCPUS + 1)) == 0)
			CHECK(open_port(d, port));
		port = next_port(in);
		CHECK(event_unmask(d, port) ==
		      (open_port(d, port) ? 0 : -EINVAL));
		break;
	case 10:
		scribble(d, in);
		break;
	default:
		if (next(in) % 8 == 0)
			CHECK(!reset_self());
		else
			event_poll_begin(d->vcpus[op % VCPUS], next_port(in));
		break;
	}
	check_channels();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };

	fake_machine_init(256, 2);
	for (u16 i = 0; i < DOMAINS; i++)
		doms[i] = fake_domain_create(i, VCPUS, i == 0);
	/* One domain starts with its first page of ports nearly full. */
	fake_become(doms[1], 0);
	for (int i = 0; i < 220; i++) {
		u32 port;

		CHECK(!event_alloc_unbound_for(doms[1], 0, &port));
	}
	while (in.left)
		step(&in);
	for (int i = 0; i < DOMAINS; i++)
		CHECK(fake_domain_destroy(doms[i]));
	fake_machine_exit();
	return 0;
}
