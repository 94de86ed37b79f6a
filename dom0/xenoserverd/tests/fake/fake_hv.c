// SPDX-License-Identifier: Apache-2.0
/* See fake_hv.h: what the rooms under test ask for. */
#include "fake_hv.h"

#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"

void fake_hv_init(struct hv *hv)
{
	memset(hv, 0, sizeof(*hv));
	hv->memory = calloc(FAKE_PAGES_MAX, HV_PAGE_BYTES);
	assert_non_null(hv->memory);
}

void fake_hv_exit(struct hv *hv)
{
	free(hv->memory);
}

uint8_t *fake_page(struct hv *hv, uint64_t mfn)
{
	assert_true(mfn <= FAKE_MFN_TOP &&
		    FAKE_MFN_TOP - mfn < hv->pages_given);
	return hv->memory + (FAKE_MFN_TOP - mfn) * HV_PAGE_BYTES;
}

int hv_domain_create(struct hv *hv, uint32_t vcpus, uint64_t max_pages,
		     uint32_t *id, struct error *err)
{
	(void)err;
	assert_false(hv->exists);
	assert_true(vcpus > 0 && max_pages > 0);
	hv->exists = true;
	*id = FAKE_DOMAIN;
	return 0;
}

int hv_domain_destroy(struct hv *hv, uint32_t id, struct error *err)
{
	(void)err;
	assert_true(hv->exists && id == FAKE_DOMAIN);
	hv->exists = false;
	return 0;
}

int hv_domain_info(struct hv *hv, uint32_t id, struct hv_domain *out,
		   struct error *err)
{
	(void)err;
	assert_true(hv->exists && id == FAKE_DOMAIN);
	*out = (struct hv_domain){ .id = id, .shared_info_mfn = 0x1234 };
	return 0;
}

int hv_memory_populate(struct hv *hv, uint32_t id, uint64_t first_pfn,
		       uint64_t count, uint64_t *mfns, struct error *err)
{
	assert_true(hv->exists && id == FAKE_DOMAIN);
	assert_true(first_pfn == hv->pages_given);
	assert_true(hv->pages_given + count <= FAKE_PAGES_MAX);
	if (hv->fail_populate_after && count > hv->fail_populate_after)
		return error_set(err, ERR_NO_MEMORY, "no memory");
	for (uint64_t i = 0; i < count; i++)
		mfns[i] = FAKE_MFN_TOP - hv->pages_given++;
	return 0;
}

int hv_memory_write(struct hv *hv, uint32_t id, const uint64_t *mfns,
		    uint64_t count, const void *pages, struct error *err)
{
	(void)err;
	assert_true(hv->exists && id == FAKE_DOMAIN && !hv->pinned);
	for (uint64_t i = 0; i < count; i++)
		memcpy(fake_page(hv, mfns[i]),
		       (const uint8_t *)pages + i * HV_PAGE_BYTES,
		       HV_PAGE_BYTES);
	return 0;
}

int hv_grants_seed(struct hv *hv, uint32_t id, uint64_t console_frame,
		   uint64_t store_frame, struct error *err)
{
	(void)id;
	(void)err;
	hv->console_frame = console_frame;
	hv->store_frame = store_frame;
	return 0;
}

int hv_events_mask(struct hv *hv, uint32_t id, uint64_t shared_info_mfn,
		   struct error *err)
{
	(void)hv;
	(void)id;
	(void)err;
	assert_int_equal(shared_info_mfn, 0x1234);
	return 0;
}

int hv_tables_pin(struct hv *hv, uint32_t id, uint64_t l4_mfn,
		  struct error *err)
{
	(void)id;
	(void)err;
	hv->pinned = true;
	hv->l4_mfn = l4_mfn;
	return 0;
}

int hv_vcpu_set_start(struct hv *hv, uint32_t id, const struct hv_start *start,
		      struct error *err)
{
	(void)id;
	(void)err;
	hv->started = true;
	hv->start = *start;
	return 0;
}

int hv_port_alloc(struct hv *hv, uint32_t id, uint32_t *port, struct error *err)
{
	(void)id;
	(void)err;
	*port = ++hv->ports;
	return 0;
}

int hv_vbd_connect(struct hv *hv, struct xeno_vbd_connect *op,
		   struct error *err)
{
	if (hv->refuse_connects)
		return error_set(err, ERR_INVALID, "refused");
	assert_true(op->queue < XENO_VBD_QUEUES_MAX);
	hv->vbd[op->queue] = *op;
	hv->vbd_connects++;
	return 0;
}

int hv_vbd_disconnect(struct hv *hv, uint32_t id, uint32_t vbd,
		      struct error *err)
{
	(void)id;
	(void)vbd;
	(void)err;
	hv->vbd_disconnects++;
	return 0;
}

int hv_vif_connect(struct hv *hv, struct xeno_vif_connect *op,
		   struct error *err)
{
	if (hv->refuse_connects)
		return error_set(err, ERR_INVALID, "refused");
	hv->vif = *op;
	hv->vif_connects++;
	return 0;
}

int hv_vif_disconnect(struct hv *hv, uint32_t id, uint32_t vif,
		      struct error *err)
{
	(void)id;
	(void)vif;
	(void)err;
	hv->vif_disconnects++;
	return 0;
}

int hv_domain_list(struct hv *hv, uint32_t first, struct hv_domain *out,
		   unsigned int count, struct error *err)
{
	unsigned int n = 0;

	(void)err;
	for (uint32_t id = first; id <= hv->domains && n < count; id++)
		out[n++] = (struct hv_domain){ .id = id };
	return (int)n;
}

int hv_rules_replace(struct hv *hv, const struct xeno_rule *rules,
		     uint32_t count, uint64_t *generation,
		     struct hv_bad_rule *bad, struct error *err)
{
	assert_true(count <= FAKE_RULES_MAX);
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].target_port_last != 65535 && !rules[i].protocol) {
			*bad = (struct hv_bad_rule){
				i, offsetof(struct xeno_rule, protocol), false
			};
			return error_set(err, ERR_INVALID, "refused");
		}
	bad->rule = HV_NO_RULE;
	if (hv->rules_fail)
		return error_set(err, ERR_NO_MEMORY, "no memory");
	if (hv->rules_most && count > hv->rules_most) {
		*bad = (struct hv_bad_rule){ count - hv->rules_most - 1, 0,
					     true };
		return error_set(err, ERR_INVALID, "refused");
	}
	memcpy(hv->old_rules, hv->rules, sizeof(hv->rules));
	hv->old_count = hv->rule_count;
	memcpy(hv->rules, rules, count * sizeof(*rules));
	memset(hv->counted, 0, sizeof(hv->counted));
	hv->rule_count = count;
	*generation = ++hv->generation;
	return 0;
}

int hv_rules_counters(struct hv *hv, uint64_t generation,
		      struct xeno_rule_counter *out, uint32_t count,
		      struct error *err)
{
	if (generation != hv->generation)
		return error_set(err, ERR_BUSY, "not that generation");
	assert_true(count <= hv->rule_count);
	memcpy(out, hv->counted, count * sizeof(*out));
	return 0;
}
