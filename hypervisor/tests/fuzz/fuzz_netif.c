// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as slots of both rings, indices, pages and grants of a front end,
 * in any order with the back end's work: nothing of it reaches beyond the
 * guest's own pages, and all that was held is given back at the end.
 */
#include <stdint.h>

#include <hv/event.h>
#include <hv/log.h>
#include <hv/work.h>

#include "../fake/domains.h"
#include "../fake/net_world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct front a, b;

static void step(const uint8_t *d)
{
	static const u8 stranger[6] = { 2, 9, 9, 9, 9, 9 };
	static struct frame_bytes frame;
	u32 page = d[1] % FRONT_BUFFERS;
	u16 word = (u16)(d[2] | d[3] << 8);

	switch (d[0] % 9) {
	case 0: /* a page that looks like a packet, with one byte wrong */
		frame_ip(&frame, d[2] & 1 ? world_mac[1] : stranger,
			 world_mac[0], d[2] & 2 ? 4 : 6,
			 d[2] & 2 ? world_ip[0] : world_ip6[0],
			 d[2] & 2 ? world_ip[1] : world_ip6[1],
			 d[2] & 4 ? 6 : 17, 1, 2, 3000, d[3]);
		memcpy(a.tx_page[page], frame.data, frame.bytes);
		a.tx_page[page][d[4]] ^= d[5] & d[6];
		break;
	case 1:
		front_slot(&a, a.first_ref + 2 + page, d[4] & 7 ? 0 : word,
			   d[5] & 15, d[4] & 8 ? word : word % 3000);
		break;
	case 2: /* any slot, also of the receive ring */
		memcpy((u8 *)(d[1] & 1 ? (void *)&a.tx->slot[d[2]]
				       : (void *)&b.rx->slot[d[2]]) +
			       d[3] % 5,
		       d + 4, 3);
		break;
	case 3:
		((u32 *)(d[1] & 1 ? (void *)a.tx : (void *)b.rx))[d[2] % 4] =
			d[3] & 1 ? a.tx_prod : word;
		break;
	case 4:
		front_push(&a);
		(void)work_run(~0UL);
		break;
	case 5:
		card_complete(d[1]);
		card_full = d[2] & 1;
		break;
	case 6:
		front_grant(&b, b.first_ref + 2 + FRONT_BUFFERS + page, word,
			    d[4] & 7);
		break;
	case 7:
		front_post(&b);
		break;
	default:
		memcpy(frame.data, world_mac[d[1] & 1], 6);
		memcpy(frame.data + 12, d + 2, 5);
		frame.bytes = 14 + word % 3000;
		card_receive(&frame, NULL);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct domain *zero, *one;

	if (size < 8)
		return 0;
	zero = world_init(data[0] & 7);
	one = world_domain(1);
	world_vif(zero, 0, 0, data[1] & 1);
	world_vif(one, 0, 1, 0);
	front_connect(&a, zero, 0, 31, 0);
	front_connect(&b, one, 0, data[2] & 31, data[3]);
	for (size_t at = 4; at + 7 <= size; at += 7)
		step(data + at);
	card_full = false;
	world_run();
	world_exit();
	return 0;
}
