// SPDX-License-Identifier: Apache-2.0
/* See hv_devices.h. */
#include "hv/hv_devices.h"

#include <errno.h>
#include <string.h>

#include "hv/hv_private.h"

#define BULK_BYTES (HV_BULK_PAGES * HV_PAGE_BYTES)

_Static_assert(XENO_RULES_MAX * sizeof(struct xeno_rule) <= BULK_BYTES &&
		       XENO_VBD_EXTENTS_MAX * sizeof(struct xeno_vbd_extent) <=
			       BULK_BYTES,
	       "the buffer holds whatever an operation may point to");

int hv_disk_info(struct hv *hv, uint32_t disk, struct xeno_disk_info *out,
		 struct error *err)
{
	memset(out, 0, sizeof(*out));
	out->disk = disk;
	return HV_CALL(hv, out, DISK_INFO) ? hv_fail(err, "the disk") : 0;
}

int hv_vbd_create(struct hv *hv, struct xeno_vbd_create *op,
		  const struct xeno_vbd_extent *extents, struct error *err)
{
	uint32_t count = op->extent_count;

	if (count > XENO_VBD_EXTENTS_MAX)
		return error_set(err, ERR_INVALID, "a disk in %u pieces",
				 count);
	memcpy(hv->bulk, extents, count * sizeof(*extents));
	op->extents = (uintptr_t)hv->bulk;
	return HV_CALL(hv, op, VBD_CREATE) ? hv_fail(err, "creating the disk")
					   : 0;
}

int hv_vbd_connect(struct hv *hv, struct xeno_vbd_connect *op,
		   struct error *err)
{
	return HV_CALL(hv, op, VBD_CONNECT) ? hv_fail(err, "connecting a disk")
					    : 0;
}

/* A disk that does not answer for so many seconds keeps its requests. */
#define ANSWER_SECONDS 10

int hv_vbd_disconnect(struct hv *hv, uint32_t id, uint32_t vbd,
		      struct error *err)
{
	struct xeno_vbd_name op = { .domain_id = id, .vbd = vbd };
	int tries = ANSWER_SECONDS;
	int rc;

	do
		rc = HV_CALL(hv, &op, VBD_DISCONNECT);
	while (rc && errno == EAGAIN && --tries);
	return rc ? hv_fail(err, "disconnecting a disk") : 0;
}

int hv_vbd_destroy(struct hv *hv, uint32_t id, uint32_t vbd, struct error *err)
{
	struct xeno_vbd_name op = { .domain_id = id, .vbd = vbd };
	int tries = ANSWER_SECONDS;
	int rc;

	do
		rc = HV_CALL(hv, &op, VBD_DESTROY);
	while (rc && errno == EAGAIN && --tries);
	return rc ? hv_fail(err, "removing a disk") : 0;
}

int hv_vbd_info(struct hv *hv, struct xeno_vbd_info *op, struct error *err)
{
	return HV_CALL(hv, op, VBD_INFO) ? hv_fail(err, "the disk") : 0;
}

int hv_uplink_info(struct hv *hv, uint32_t uplink, struct xeno_uplink_info *out,
		   struct error *err)
{
	memset(out, 0, sizeof(*out));
	out->uplink = uplink;
	return HV_CALL(hv, out, UPLINK_INFO) ? hv_fail(err, "the uplink") : 0;
}

int hv_vif_create(struct hv *hv, struct xeno_vif_create *op, struct error *err)
{
	return HV_CALL(hv, op, VIF_CREATE)
		       ? hv_fail(err, "creating an interface")
		       : 0;
}

int hv_vif_info(struct hv *hv, struct xeno_vif_info *op, struct error *err)
{
	return HV_CALL(hv, op, VIF_INFO) ? hv_fail(err, "the interface") : 0;
}

int hv_vif_connect(struct hv *hv, struct xeno_vif_connect *op,
		   struct error *err)
{
	return HV_CALL(hv, op, VIF_CONNECT)
		       ? hv_fail(err, "connecting an interface")
		       : 0;
}

int hv_vif_disconnect(struct hv *hv, uint32_t id, uint32_t vif,
		      struct error *err)
{
	struct xeno_vif_name op = { .domain_id = id, .vif = vif };

	return HV_CALL(hv, &op, VIF_DISCONNECT)
		       ? hv_fail(err, "disconnecting an interface")
		       : 0;
}

int hv_vif_destroy(struct hv *hv, uint32_t id, uint32_t vif, struct error *err)
{
	struct xeno_vif_name op = { .domain_id = id, .vif = vif };

	return HV_CALL(hv, &op, VIF_DESTROY)
		       ? hv_fail(err, "removing an interface")
		       : 0;
}

int hv_rules_replace(struct hv *hv, const struct xeno_rule *rules,
		     uint32_t count, uint64_t *generation,
		     struct hv_bad_rule *bad, struct error *err)
{
	struct xeno_rules_replace op = {
		.count = count,
		.rules = (uintptr_t)hv->bulk,
	};

	bad->rule = HV_NO_RULE;
	if (count > XENO_RULES_MAX)
		return error_set(err, ERR_INVALID, "%u rules: at most %d",
				 count, XENO_RULES_MAX);
	memcpy(hv->bulk, rules, count * sizeof(*rules));
	if (HV_CALL(hv, &op, RULES_REPLACE))
		return hv_fail(err, "the rules");
	if (op.status) {
		*bad = (struct hv_bad_rule){ op.bad_rule, op.bad_field,
					     op.status == -E2BIG };
		return error_set(err, ERR_INVALID, "a rule is refused");
	}
	*generation = op.generation;
	return 0;
}

int hv_rules_counters(struct hv *hv, uint64_t generation,
		      struct xeno_rule_counter *out, uint32_t count,
		      struct error *err)
{
	struct xeno_rules_counters op = {
		.generation = generation,
		.count = count,
		.counters = (uintptr_t)hv->bulk,
	};

	if (HV_CALL(hv, &op, RULES_COUNTERS))
		return hv_fail(err, "the rules' counters");
	memcpy(out, hv->bulk, count * sizeof(*out));
	return 0;
}
