/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be asked of our hypervisor about disks, cards and the devices it
 * serves to domains. Structures of the control ABI pass through here as they
 * are: their envelopes are filled in below. On another hypervisor all of it is
 * ERR_UNSUPPORTED.
 */
#ifndef HV_HV_DEVICES_H
#define HV_HV_DEVICES_H

#include <xeno/vbd.h>
#include <xeno/vif.h>

#include "hv/hv.h"

int hv_disk_info(struct hv *hv, uint32_t disk, struct xeno_disk_info *out,
		 struct error *err);

/* op says everything but where its extents are; op->sectors gets its size. */
int hv_vbd_create(struct hv *hv, struct xeno_vbd_create *op,
		  const struct xeno_vbd_extent *extents, struct error *err);
int hv_vbd_connect(struct hv *hv, struct xeno_vbd_connect *op,
		   struct error *err);
int hv_vbd_disconnect(struct hv *hv, uint32_t id, uint32_t vbd,
		      struct error *err);
int hv_vbd_destroy(struct hv *hv, uint32_t id, uint32_t vbd, struct error *err);
/* op says which; gets the rest. */
int hv_vbd_info(struct hv *hv, struct xeno_vbd_info *op, struct error *err);

int hv_uplink_info(struct hv *hv, uint32_t uplink, struct xeno_uplink_info *out,
		   struct error *err);

int hv_vif_create(struct hv *hv, struct xeno_vif_create *op, struct error *err);
/* op says which; gets the rest. */
int hv_vif_info(struct hv *hv, struct xeno_vif_info *op, struct error *err);
int hv_vif_connect(struct hv *hv, struct xeno_vif_connect *op,
		   struct error *err);
int hv_vif_disconnect(struct hv *hv, uint32_t id, uint32_t vif,
		      struct error *err);
int hv_vif_destroy(struct hv *hv, uint32_t id, uint32_t vif, struct error *err);

/* Which rule is the reason, by its place; its field at that byte, or, with
 * too_many, no field but those from this rule to the last together. */
struct hv_bad_rule {
	uint32_t rule; /* HV_NO_RULE: none, there is another reason */
	uint32_t field;
	bool too_many;
};

#define HV_NO_RULE UINT32_MAX

/* All rules at once, or none. After an error *bad is defined. */
int hv_rules_replace(struct hv *hv, const struct xeno_rule *rules,
		     uint32_t count, uint64_t *generation,
		     struct hv_bad_rule *bad, struct error *err);
int hv_rules_counters(struct hv *hv, uint64_t generation,
		      struct xeno_rule_counter *out, uint32_t count,
		      struct error *err);

#endif
