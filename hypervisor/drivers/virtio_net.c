// SPDX-License-Identifier: Apache-2.0
/*
 * Virtio network cards (virtio 1.1, 5.1) behind the plug of hv/uplink.h. Queue
 * 0 receives into buffers of ours, one per frame; queue 1 sends the callers'
 * pages behind a header of ours, one per descriptor.
 */
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/log.h>
#include <hv/mm.h>
#include <hv/string.h>
#include <hv/uplink.h>
#include <hv/work.h>

#include "virtio.h"

#define NET_F_CSUM (1UL << 0)
#define NET_F_GUEST_CSUM (1UL << 1)
#define NET_F_MTU (1UL << 3)
#define NET_F_MAC (1UL << 5)
#define NET_F_HOST_TSO4 (1UL << 11)
#define NET_F_HOST_TSO6 (1UL << 12)
#define NET_F_STATUS (1UL << 16)

#define CONFIG_MAC 0
#define CONFIG_STATUS 6
#define CONFIG_MTU 10
#define STATUS_LINK_UP 1U

#define HEADER_NEEDS_CSUM 1U
#define HEADER_CSUM_GOOD 2U
#define GSO_NONE 0
#define GSO_TCPV4 1
#define GSO_TCPV6 4

#define RX 0
#define TX 1
#define QUEUE_DEPTH 256
#define BUFFER_BYTES 2048U
#define ETHERNET_BYTES 14U
#define MTU_DEFAULT 1500
#define MTU_LEAST 68
/* Frames received, and packets finished, in one run of the work. */
#define ROUND_MAX 32
/* After which it ends earlier. */
#define ROUND_INSTRUCTIONS 50000U

struct header {
	u8 flags, gso_type;
	u16 header_bytes, gso_bytes, csum_start, csum_offset, buffers;
};
_Static_assert(sizeof(struct header) == 12, "as the device has it");
_Static_assert(BUFFER_BYTES >=
		       sizeof(struct header) + ETHERNET_BYTES + 4 + MTU_DEFAULT,
	       "a frame is one piece");

struct net {
	struct virtio v;
	struct uplink uplink;
	struct work work;
	bool changed; /* the configuration; atomic */
	u8 *buffers[QUEUE_DEPTH];
	struct header *headers;      /* for sending, by cell */
	u16 free_cells[QUEUE_DEPTH]; /* a stack; under v.lock, as are */
	u16 free_count;
	struct list failed; /* packets that never reach the device */
	struct uplink_packet *packets[QUEUE_DEPTH]; /* by cell */
};

static struct net *net_of(struct uplink *u)
{
	return container_of(u, struct net, uplink);
}

static u64 maddr_of(const void *p)
{
	return (virt_to_mfn(p) << PAGE_SHIFT) | ((u64)p & ~PAGE_MASK);
}

/* ---- sending ---- */

/* False: the card cannot do what is asked. */
static bool fill_header(const struct net *n, const struct packet_offload *o,
			struct header *h)
{
	u32 gso = o->flags & (PACKET_GSO_TCPV4 | PACKET_GSO_TCPV6);

	memset(h, 0, sizeof(*h));
	if (o->flags & PACKET_CSUM_BLANK) {
		if (!(n->uplink.flags & UPLINK_CSUM))
			return false;
		h->flags = HEADER_NEEDS_CSUM;
		h->csum_start = o->csum_start;
		h->csum_offset = o->csum_offset;
	}
	if (!gso)
		return true;
	if (!(o->flags & PACKET_CSUM_BLANK) || !o->gso_bytes)
		return false;
	if (gso == PACKET_GSO_TCPV4 && (n->uplink.flags & UPLINK_TSO4))
		h->gso_type = GSO_TCPV4;
	else if (gso == PACKET_GSO_TCPV6 && (n->uplink.flags & UPLINK_TSO6))
		h->gso_type = GSO_TCPV6;
	else
		return false;
	h->gso_bytes = o->gso_bytes;
	h->header_bytes = o->header_bytes;
	return true;
}

static int add_packet(struct net *n, u16 i, const struct uplink_packet *p)
{
	struct virtqueue_buffer buffers[UPLINK_SEGMENTS_MAX + 1];
	u32 count = p->segment_count;

	if (n->v.broken || !count || count > UPLINK_SEGMENTS_MAX ||
	    !fill_header(n, &p->offload, &n->headers[i]))
		return -EINVAL;
	buffers[0].maddr = maddr_of(&n->headers[i]);
	buffers[0].bytes = sizeof(struct header);
	for (u32 s = 0; s < count; s++) {
		if (!p->segments[s].bytes)
			return -EINVAL;
		buffers[s + 1].maddr = p->segments[s].maddr;
		buffers[s + 1].bytes = p->segments[s].bytes;
	}
	return virtqueue_add(&n->v.queues[TX], buffers, count + 1, 0,
			     &n->headers[i]);
}

static int net_send(struct uplink *u, struct uplink_packet *p)
{
	struct net *n = net_of(u);
	int err;
	u16 i;

	spin_lock(&n->v.lock);
	if (!n->free_count) {
		spin_unlock(&n->v.lock);
		return -EBUSY;
	}
	i = n->free_cells[n->free_count - 1];
	err = add_packet(n, i, p);
	if (!err) {
		n->free_count--;
		n->packets[i] = p;
	} else if (err != -EBUSY) {
		list_add_tail(&n->failed, &p->link);
		work_queue(&n->work);
		err = 0;
	}
	spin_unlock(&n->v.lock);
	return err;
}

static void net_kick(struct uplink *u)
{
	struct net *n = net_of(u);

	spin_lock(&n->v.lock);
	virtqueue_kick(&n->v.queues[TX]);
	spin_unlock(&n->v.lock);
}

static const struct uplink_driver net_driver = { net_send, net_kick };

static struct uplink_packet *release_cell(struct net *n, const void *token)
{
	u16 i = (u16)((const struct header *)token - n->headers);
	struct uplink_packet *p = n->packets[i];

	n->packets[i] = NULL;
	n->free_cells[n->free_count++] = i;
	return p;
}

static u64 packet_bytes(const struct uplink_packet *p)
{
	u64 bytes = 0;

	for (u32 i = 0; i < p->segment_count; i++)
		bytes += p->segments[i].bytes;
	return bytes;
}

static void add_to(u64 *counter, u64 n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* Ends one packet; NULL: none is done. */
static struct uplink_packet *take_packet_locked(struct net *n, bool *sent)
{
	u32 written_bytes;
	void *token = virtqueue_take(&n->v.queues[TX], &written_bytes);

	*sent = token != NULL;
	if (token)
		return release_cell(n, token);
	if (!list_empty(&n->failed)) {
		struct list *l = n->failed.next;

		list_del(l);
		return container_of(l, struct uplink_packet, link);
	}
	if (!n->v.broken)
		return NULL;
	token = virtqueue_take_back(&n->v.queues[TX]);
	return token ? release_cell(n, token) : NULL;
}

/* True: more may be done. */
static bool finish_packets(struct net *n)
{
	struct uplink_packet *done[ROUND_MAX];
	unsigned int count = 0;
	bool sent;

	spin_lock(&n->v.lock);
	while (count < ROUND_MAX) {
		struct uplink_packet *p = take_packet_locked(n, &sent);

		if (!p)
			break;
		add_to(sent ? &n->uplink.tx_packets : &n->uplink.tx_dropped, 1);
		if (sent)
			add_to(&n->uplink.tx_bytes, packet_bytes(p));
		done[count++] = p;
	}
	spin_unlock(&n->v.lock);
	for (unsigned int i = 0; i < count; i++)
		done[i]->done(done[i]);
	return count == ROUND_MAX;
}

/* ---- receiving ---- */

static int post_buffer(struct net *n, u8 *buffer)
{
	struct virtqueue_buffer b = { maddr_of(buffer), BUFFER_BYTES };

	return virtqueue_add(&n->v.queues[RX], &b, 0, 1, buffer);
}

/* The header is the device's word: false when it makes no sense. */
static bool read_header(const struct header *h, u32 bytes,
			struct packet_offload *o)
{
	memset(o, 0, sizeof(*o));
	if (bytes < ETHERNET_BYTES || h->gso_type != GSO_NONE)
		return false;
	if (h->flags & HEADER_NEEDS_CSUM) {
		if ((u32)h->csum_start + h->csum_offset + 2 > bytes)
			return false;
		o->flags = PACKET_CSUM_BLANK;
		o->csum_start = h->csum_start;
		o->csum_offset = h->csum_offset;
	} else if (h->flags & HEADER_CSUM_GOOD) {
		o->flags = PACKET_CSUM_GOOD;
	}
	return true;
}

/* About how many instructions it took. */
static u32 receive_frame(struct net *n, const u8 *buffer, u32 bytes)
{
	struct uplink *u = &n->uplink;
	u32 (*receive)(struct uplink *, const void *, u32,
		       const struct packet_offload *) =
		__atomic_load_n(&u->receive, __ATOMIC_ACQUIRE);
	struct packet_offload o;
	struct header h;

	memcpy(&h, buffer, sizeof(h));
	if (!receive || bytes < sizeof(h) ||
	    !read_header(&h, bytes - (u32)sizeof(h), &o)) {
		add_to(&u->rx_dropped, 1);
		return 0;
	}
	bytes -= (u32)sizeof(h);
	add_to(&u->rx_packets, 1);
	add_to(&u->rx_bytes, bytes);
	return receive(u, buffer + sizeof(h), bytes, &o);
}

static u8 *take_frame(struct net *n, u32 *bytes)
{
	u8 *buffer;

	spin_lock(&n->v.lock);
	buffer = virtqueue_take(&n->v.queues[RX], bytes);
	spin_unlock(&n->v.lock);
	return buffer;
}

/* Takes a round of frames and hands them up without the lock; the buffers go
 * back to the device together. True: more may be there. */
static bool receive_frames(struct net *n)
{
	struct virtqueue *q = &n->v.queues[RX];
	u8 *got[ROUND_MAX];
	unsigned int count = 0;
	u32 bytes, spent = 0;
	bool more = true;
	int err = 0;

	while (more && count < ROUND_MAX && spent < ROUND_INSTRUCTIONS) {
		got[count] = take_frame(n, &bytes);
		more = got[count];
		if (more)
			spent += receive_frame(n, got[count++], bytes);
	}
	spin_lock(&n->v.lock);
	for (unsigned int i = 0; i < count && !n->v.broken && !err; i++)
		err = post_buffer(n, got[i]);
	virtqueue_kick(q);
	spin_unlock(&n->v.lock);
	return more;
}

static void net_work(struct work *w)
{
	struct net *n = container_of(w, struct net, work);
	struct virtqueue *rx = &n->v.queues[RX], *tx = &n->v.queues[TX];
	bool more;

	if (__atomic_exchange_n(&n->changed, false, __ATOMIC_SEQ_CST) &&
	    virtio_has(&n->v, NET_F_STATUS))
		WRITE_ONCE(n->uplink.link_up,
			   virtio_config16(&n->v, CONFIG_STATUS) &
				   STATUS_LINK_UP);
	spin_lock(&n->v.lock);
	virtqueue_quiet(rx);
	virtqueue_quiet(tx);
	spin_unlock(&n->v.lock);
	more = receive_frames(n);
	more |= finish_packets(n);
	spin_lock(&n->v.lock);
	if (unlikely(rx->broken || tx->broken)) {
		more |= !n->v.broken;
		virtio_break_locked(&n->v,
				    "a buffer came back that it did not have");
		WRITE_ONCE(n->uplink.link_up, false);
	}
	virtqueue_kick(tx);
	if (!more) {
		more = virtqueue_listen(rx) || !list_empty(&n->failed);
		more |= virtqueue_listen(tx);
	}
	spin_unlock(&n->v.lock);
	if (more)
		work_queue(&n->work);
}

static void net_interrupt(void *data)
{
	struct net *n = data;

	work_queue(&n->work);
}

static void net_changed(void *data)
{
	struct net *n = data;

	__atomic_store_n(&n->changed, true, __ATOMIC_SEQ_CST);
	work_queue(&n->work);
}

/* ---- starting ---- */

static void read_card(struct net *n)
{
	struct uplink *u = &n->uplink;
	u16 mtu;

	if (virtio_has(&n->v, NET_F_MAC))
		for (u32 i = 0; i < sizeof(u->mac); i++)
			u->mac[i] = virtio_config8(&n->v, CONFIG_MAC + i);
	u->mtu = MTU_DEFAULT;
	if (virtio_has(&n->v, NET_F_MTU)) {
		mtu = virtio_config16(&n->v, CONFIG_MTU);
		if (mtu >= MTU_LEAST)
			u->mtu = mtu;
	}
	u->link_up = !virtio_has(&n->v, NET_F_STATUS) ||
		     (virtio_config16(&n->v, CONFIG_STATUS) & STATUS_LINK_UP);
	if (virtio_has(&n->v, NET_F_CSUM)) {
		u->flags |= UPLINK_CSUM;
		if (virtio_has(&n->v, NET_F_HOST_TSO4))
			u->flags |= UPLINK_TSO4;
		if (virtio_has(&n->v, NET_F_HOST_TSO6))
			u->flags |= UPLINK_TSO6;
	}
}

#define WANTED                                                                 \
	(NET_F_CSUM | NET_F_GUEST_CSUM | NET_F_MAC | NET_F_HOST_TSO4 |         \
	 NET_F_HOST_TSO6 | NET_F_STATUS)

/* Who agrees on the MTU must be able to receive frames of that size: one that
 * is too large is not agreed on, and then does not hold. */
static int open_card(struct net *n, const struct pci_function *f)
{
	int err = virtio_open(&n->v, f, WANTED | NET_F_MTU);

	if (!err && virtio_has(&n->v, NET_F_MTU) &&
	    virtio_config16(&n->v, CONFIG_MTU) > MTU_DEFAULT)
		err = virtio_open(&n->v, f, WANTED);
	return err;
}

static int fill_rx(struct net *n)
{
	int err = 0;

	for (unsigned int i = 0; i < n->v.queues[RX].size && !err; i++) {
		if (i & 1) {
			n->buffers[i] = n->buffers[i - 1] + BUFFER_BYTES;
		} else {
			struct frame *f = frame_alloc(0);

			if (!f)
				return -ENOMEM;
			n->buffers[i] = mfn_to_virt(frame_mfn(f));
		}
		err = post_buffer(n, n->buffers[i]);
	}
	return err;
}

static int open_net(struct net *n)
{
	int err = virtio_open_interrupts(&n->v, net_interrupt, net_changed, n);

	if (!err)
		err = virtio_open_queue(&n->v, QUEUE_DEPTH, 1);
	if (!err)
		err = virtio_open_queue(&n->v, QUEUE_DEPTH,
					UPLINK_SEGMENTS_MAX + 1);
	if (err)
		return err;
	read_card(n);
	spin_lock(&n->v.lock);
	err = fill_rx(n);
	spin_unlock(&n->v.lock);
	return err;
}

#define NET_ORDER 2
_Static_assert(sizeof(struct net) <= PAGE_SIZE << NET_ORDER, "one block");
_Static_assert(QUEUE_DEPTH * sizeof(struct header) <= PAGE_SIZE, "one page");

static struct net *create(void)
{
	struct frame *f = frame_alloc(NET_ORDER), *headers = frame_alloc(0);
	struct net *n;

	if (!f || !headers)
		return NULL;
	n = mfn_to_virt(frame_mfn(f));
	n->headers = mfn_to_virt(frame_mfn(headers));
	for (u16 i = 0; i < QUEUE_DEPTH; i++)
		n->free_cells[n->free_count++] = (u16)(QUEUE_DEPTH - 1 - i);
	list_init(&n->failed);
	work_init(&n->work, net_work, NULL);
	n->uplink.driver = &net_driver;
	return n;
}

void virtio_net_found(const struct pci_function *f)
{
	/* As with disks: kept whatever becomes of the device. */
	struct net *n = create();
	struct uplink *u;

	if (!n) {
		log_warn("virtio card: not used: no memory");
		return;
	}
	if (open_card(n, f))
		return;
	u = &n->uplink;
	hv_snprintf(u->name, sizeof(u->name), "virtio-net-%s", n->v.name);
	if (open_net(n) || uplink_register(u)) {
		virtio_close(&n->v);
		return;
	}
	virtio_start(&n->v);
	spin_lock(&n->v.lock);
	virtqueue_kick(&n->v.queues[RX]);
	spin_unlock(&n->v.lock);
	log_info(
		"uplink %u: %s mac=%02x:%02x:%02x:%02x:%02x:%02x mtu=%u link=%s%s%s%s queue=%u cpu=%u",
		u->id, u->name, u->mac[0], u->mac[1], u->mac[2], u->mac[3],
		u->mac[4], u->mac[5], u->mtu, u->link_up ? "up" : "down",
		u->flags & UPLINK_CSUM ? " csum" : "",
		u->flags & UPLINK_TSO4 ? " tso4" : "",
		u->flags & UPLINK_TSO6 ? " tso6" : "", n->v.queues[RX].size,
		n->v.cpu);
}
