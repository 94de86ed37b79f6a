// SPDX-License-Identifier: Apache-2.0
/* See net_world.h. */
#include "net_world.h"

#include <stdlib.h>

#include <hv/errno.h>
#include <hv/event.h>
#include <hv/grant.h>
#include <hv/log.h>
#include <hv/meter.h>
#include <hv/mm.h>
#include <hv/work.h>

#include <arch/host_machine.h>

#include "domains.h"

#define REFS_PER_FRONT 512u
#define RULES_VA 0x7000000UL

const u8 world_mac[4][6] = { { 2, 0, 0, 0, 0, 0x10 },
			     { 2, 0, 0, 0, 0, 0x11 },
			     { 2, 0, 0, 0, 0, 0x12 },
			     { 2, 0, 0, 0, 0, 0x13 } };
const u8 world_ip[4][4] = {
	{ 10, 0, 2, 16 }, { 10, 0, 2, 17 }, { 10, 0, 2, 18 }, { 10, 0, 2, 19 }
};
const u8 world_ip6[4][16] = { { 0xfd, [15] = 16 },
			      { 0xfd, [15] = 17 },
			      { 0xfd, [15] = 18 },
			      { 0xfd, [15] = 19 } };

/* ---- the card ---- */

struct uplink card;
struct card_packet card_sent[CARD_PACKETS];
u32 card_count, card_kicks;
bool card_full;
static bool card_there;

static int card_send(struct uplink *u, struct uplink_packet *p)
{
	struct card_packet *c = &card_sent[card_count];

	(void)u;
	if (card_full || card_count == CARD_PACKETS)
		return -EBUSY;
	CHECK(p->segment_count && p->segment_count <= UPLINK_SEGMENTS_MAX);
	*c = (struct card_packet){ .packet = p, .offload = p->offload };
	for (u32 i = 0; i < p->segment_count; i++)
		c->bytes += p->segments[i].bytes;
	c->data = malloc(c->bytes);
	CHECK(c->data);
	for (u32 i = 0, at = 0; i < p->segment_count; i++) {
		memcpy(c->data + at, maddr_to_virt(p->segments[i].maddr),
		       p->segments[i].bytes);
		at += p->segments[i].bytes;
	}
	card_count++;
	return 0;
}

static void card_kick(struct uplink *u)
{
	(void)u;
	card_kicks++;
}

void card_complete(u32 n)
{
	n = n < card_count ? n : card_count;
	for (u32 i = 0; i < n; i++) {
		card_sent[i].packet->done(card_sent[i].packet);
		free(card_sent[i].data);
	}
	card_count -= n;
	memmove(card_sent, card_sent + n, card_count * sizeof(card_sent[0]));
}

void card_receive(const struct frame_bytes *b,
		  const struct packet_offload *offload)
{
	static const struct packet_offload none;
	u8 *copy = malloc(b->bytes);

	CHECK(copy);
	memcpy(copy, b->data, b->bytes);
	card.receive(&card, copy, b->bytes, offload ? offload : &none);
	free(copy);
}

struct uplink *uplink_find(u32 id)
{
	return card_there && !id ? &card : NULL;
}

void guest_log(struct domain *d, const char *fmt, ...)
{
	(void)d;
	(void)fmt;
}

/* ---- the world ---- */

struct domain *world_init(u32 card_flags)
{
	static const struct uplink_driver driver = { card_send, card_kick };
	static bool started;
	struct domain *zero;

	fake_machine_init(16384, 2);
	if (!started) {
		work_start();
		for (unsigned int cpu = 0; cpu < 2; cpu++)
			meter_cpu_start(cpu, 0);
		started = true;
	}
	card = (struct uplink){
		.flags = card_flags,
		.mac = { 2, 0, 0, 0, 0, 1 },
		.mtu = 1500,
		.link_up = true,
		.name = "card",
		.driver = &driver,
	};
	card_there = true;
	card_count = card_kicks = 0;
	card_full = false;
	net_init();
	zero = world_domain(0);
	fake_become(zero, 0);
	return zero;
}

struct domain *world_domain(u16 id)
{
	struct domain *d = fake_domain_create(id, 1, id == 0);

	CHECK(!grant_setup(d, 8));
	return d;
}

void world_exit(void)
{
	world_rules(NULL, 0);
	do {
		card_complete(CARD_PACKETS);
		world_run();
	} while (card_count);
	for (u16 id = 0; id < 4; id++) {
		struct domain *d = domain_table[id];
		int budget = 1000;

		if (!d)
			continue;
		CHECK(!net_domain_exit(d, &budget));
		CHECK(!d->net);
		CHECK(fake_domain_destroy(d));
	}
	fake_machine_exit();
}

void world_run(void)
{
	while (work_run(~0UL))
		;
	CHECK(host_locks_held == 0);
}

void world_vif(struct domain *d, u32 number, u32 i, u32 flags)
{
	struct xeno_vif_create op = {
		.domain_id = d->id,
		.vif = number,
		.flags = flags,
		.ipv4_count = 1,
		.ipv6_count = 1,
	};

	memcpy(op.mac, world_mac[i], 6);
	memcpy(op.ipv4[0], world_ip[i], 4);
	memcpy(op.ipv6[0], world_ip6[i], 16);
	CHECK(!net_vif_create(d, &op));
}

/* ---- front ends ---- */

void front_grant(struct front *f, u32 ref, u64 mfn, u16 flags)
{
	struct grant_entry_v1 *e =
		mfn_to_virt(grant_frame_mfn(f->d, ref / 512));

	e[ref % 512].frame = (u32)mfn;
	e[ref % 512].domid = DOMID_BACKEND;
	e[ref % 512].flags = flags;
}

static void *granted_page(struct front *f, u32 ref)
{
	u64 mfn = fake_frame(f->d);

	front_grant(f, ref, mfn, GTF_permit_access);
	return mfn_to_virt(mfn);
}

void front_post(struct front *f)
{
	struct rx_wire w = { .id = f->rx_prod % RING_ENTRIES };

	w.ref = f->first_ref + 2 + FRONT_BUFFERS + f->rx_prod % FRONT_BUFFERS;
	f->rx->slot[f->rx_prod++ % RING_ENTRIES].request = w;
	__atomic_store_n(&f->rx->head.req_prod, f->rx_prod, __ATOMIC_RELEASE);
}

void front_connect(struct front *f, struct domain *d, u32 number, u32 features,
		   u32 headroom)
{
	struct xeno_vif_connect op = {
		.domain_id = d->id,
		.vif = number,
		.features = features,
		.rx_headroom = headroom,
	};

	*f = (struct front){ .d = d, .number = number };
	f->first_ref = number * REFS_PER_FRONT + 8;
	f->tx = granted_page(f, f->first_ref);
	f->rx = granted_page(f, f->first_ref + 1);
	f->tx->head.req_event = f->tx->head.rsp_event = 1;
	f->rx->head.req_event = f->rx->head.rsp_event = 1;
	for (u32 i = 0; i < FRONT_BUFFERS; i++) {
		f->tx_page[i] = granted_page(f, f->first_ref + 2 + i);
		f->rx_page[i] =
			granted_page(f, f->first_ref + 2 + FRONT_BUFFERS + i);
	}
	CHECK(!event_alloc_unbound_for(d, DOMID_BACKEND, &f->port));
	op.tx_ref = f->first_ref;
	op.rx_ref = f->first_ref + 1;
	op.tx_port = op.rx_port = f->port;
	CHECK(!net_vif_connect(d, &op));
	for (u32 i = 0; i < FRONT_BUFFERS; i++)
		front_post(f);
}

void front_slot(struct front *f, u32 ref, u16 offset, u16 flags, u16 size)
{
	struct tx_wire w = { .ref = ref,
			     .offset = offset,
			     .flags = flags,
			     .id = f->tx_prod % RING_ENTRIES,
			     .size = size };

	f->tx->slot[f->tx_prod++ % RING_ENTRIES].request = w;
}

void front_put(struct front *f, const struct frame_bytes *b, u32 first,
	       u32 chunk, u16 flags, u16 gso_bytes)
{
	u32 at = 0;

	while (at < b->bytes) {
		u32 n = at ? chunk : first, page = f->tx_prod % FRONT_BUFFERS;
		/* Anywhere in the page. */
		u32 offset;

		n = n < b->bytes - at ? n : b->bytes - at;
		offset = (u32)PAGE_SIZE - n;
		memcpy(f->tx_page[page] + offset, b->data + at, n);
		front_slot(f, f->first_ref + 2 + page, (u16)offset,
			   (u16)((at ? 0 : flags) |
				 (at + n < b->bytes ? 4 : 0) |
				 (!at && gso_bytes ? 8 : 0)),
			   (u16)(at ? n : b->bytes));
		if (!at && gso_bytes) {
			u8 extra[12] = { 1, 0, (u8)gso_bytes,
					 (u8)(gso_bytes >> 8),
					 b->data[14] >> 4 == 6 ? 2 : 1 };

			memcpy(&f->tx->slot[f->tx_prod++ % RING_ENTRIES], extra,
			       sizeof(extra));
		}
		at += n;
	}
}

void front_push(struct front *f)
{
	__atomic_store_n(&f->tx->head.req_prod, f->tx_prod, __ATOMIC_RELEASE);
	CHECK(!event_send(f->d, f->port));
}

void front_send(struct front *f, const struct frame_bytes *b, u16 flags,
		u16 gso_bytes)
{
	front_put(f, b, PAGE_SIZE, PAGE_SIZE, flags, gso_bytes);
	front_push(f);
	world_run();
}

u32 front_reap(struct front *f)
{
	u32 n = 0;

	while (f->tx_seen !=
	       __atomic_load_n(&f->tx->head.rsp_prod, __ATOMIC_ACQUIRE)) {
		struct tx_answer a =
			f->tx->slot[f->tx_seen++ % RING_ENTRIES].answer;

		CHECK(f->tx_prod - f->tx_seen < RING_ENTRIES);
		f->tx_errors += a.status == -1;
		f->tx_dropped += a.status == -2;
		n++;
	}
	return n;
}

bool front_receive(struct front *f, struct received *r)
{
	u16 flags = 4;

	memset(r, 0, offsetof(struct received, frame.data));
	r->frame.bytes = r->slots = 0;
	r->flags = r->gso_bytes = r->gso_type = 0;
	r->error = false;
	if (f->rx_seen ==
	    __atomic_load_n(&f->rx->head.rsp_prod, __ATOMIC_ACQUIRE))
		return false;
	while (flags & 4) {
		u32 i = f->rx_seen;
		struct rx_answer a = f->rx->slot[i % RING_ENTRIES].answer;

		CHECK(f->rx_seen !=
		      __atomic_load_n(&f->rx->head.rsp_prod, __ATOMIC_ACQUIRE));
		CHECK(a.id == i % RING_ENTRIES);
		f->rx_seen++;
		flags = a.flags;
		if (!r->slots++)
			r->flags = flags;
		if (a.status < 0) {
			r->error = true;
		} else {
			CHECK(a.offset + a.status <= (int)PAGE_SIZE);
			memcpy(r->frame.data + r->frame.bytes,
			       f->rx_page[i % FRONT_BUFFERS] + a.offset,
			       (size_t)a.status);
			r->frame.bytes += (u32)a.status;
		}
		front_post(f);
		if (flags & 8) {
			u8 *extra =
				(u8 *)&f->rx->slot[f->rx_seen++ % RING_ENTRIES];

			r->gso_bytes = (u16)(extra[2] | extra[3] << 8);
			r->gso_type = extra[4];
			front_post(f);
		}
	}
	return true;
}

struct xeno_vif_info front_info(const struct front *f)
{
	struct xeno_vif_info info = { .vif = f->number };

	CHECK(!net_vif_info(f->d, &info));
	return info;
}

u64 drops_of(const u64 *drops)
{
	u64 n = 0;

	for (int i = 0; i < XENO_DROPS; i++)
		n += drops[i];
	return n;
}

struct domain *world_two_guests(u32 card_flags, u32 features, u32 headroom,
				struct front *a, struct front *b)
{
	struct domain *zero = world_init(card_flags), *one = world_domain(1);

	world_vif(zero, 0, 0, 0);
	world_vif(one, 0, 1, 0);
	front_connect(a, zero, 0, 31, 0);
	front_connect(b, one, 0, features, headroom);
	world_run();
	return zero;
}

/* ---- rules ---- */

struct xeno_rules_replace world_rules(const struct xeno_rule *rules, u32 count)
{
	struct xeno_rules_replace op = { .count = count, .rules = RULES_VA };
	int rc;

	host_guest_window(RULES_VA, (void *)(uintptr_t)rules,
			  count * sizeof(*rules));
	while ((rc = net_rules_replace(&op)) == -ERESTART)
		;
	CHECK(!rc);
	return op;
}

struct xeno_rule world_rule(u8 action, u8 direction, u32 domain_id, u16 vif)
{
	struct xeno_rule r = {
		.action = action,
		.direction = direction,
		.domain_id = domain_id,
		.vif = vif,
		.source_port_last = 65535,
		.target_port_last = 65535,
	};

	return r;
}
