/* SPDX-License-Identifier: Apache-2.0 */
/* A hypervisor that records: one domain at a time, its memory at frames that
 * are not its pfns, and what was asked about devices. */
#ifndef FAKE_HV_H
#define FAKE_HV_H

#include "hv/hv_devices.h"

#define FAKE_PAGES_MAX 4096
/* Frames are given out downward from here. */
#define FAKE_MFN_TOP 0x90000UL
#define FAKE_DOMAIN 7
#define FAKE_RULES_MAX 16

struct hv {
	bool exists, pinned, started;
	uint64_t pages_given;
	uint8_t *memory; /* FAKE_PAGES_MAX pages, by FAKE_MFN_TOP - mfn */
	uint64_t console_frame, store_frame, l4_mfn;
	struct hv_start start;
	uint32_t ports;
	uint64_t fail_populate_after; /* pages; 0: never */
	/* Devices. */
	int vbd_connects, vbd_disconnects, vif_connects, vif_disconnects;
	bool refuse_connects;
	struct xeno_vbd_connect vbd[XENO_VBD_QUEUES_MAX];
	struct xeno_vif_connect vif;
	/* Rules: the table in force and the one before. More than rules_most
	 * are refused, unless that is 0, and those with ports of no protocol.
	 */
	uint32_t rule_count, old_count, rules_most;
	bool rules_fail;
	uint64_t generation;
	struct xeno_rule rules[FAKE_RULES_MAX], old_rules[FAKE_RULES_MAX];
	struct xeno_rule_counter counted[FAKE_RULES_MAX];
	uint32_t domains; /* with the ids 1 to that */
};

void fake_hv_init(struct hv *hv);
void fake_hv_exit(struct hv *hv);
uint8_t *fake_page(struct hv *hv, uint64_t mfn);

#endif
