// SPDX-License-Identifier: Apache-2.0
/* What is particular about network interfaces. */
#include <stdio.h>

#include "xenstore/device.h"

int vif_publish(const struct device *d, struct store *s, const char *front,
		const char *back, struct error *err)
{
	static const char *const features[] = {
		"feature-sg",        "feature-gso-tcpv4",
		"feature-gso-tcpv6", "feature-ipv6-csum-offload",
		"feature-rx-copy",   "feature-split-event-channels",
	};
	const uint8_t *m = d->mac;
	const char *ends[] = { back, front };

	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		if (store_writef(s, back, features[i], err, "1"))
			return -1;
	/* Written before the directory is the front end's: it can read it. */
	for (unsigned int i = 0; i < 2; i++)
		if (store_writef(s, ends[i], "mac", err,
				 "%02x:%02x:%02x:%02x:%02x:%02x", m[0], m[1],
				 m[2], m[3], m[4], m[5]))
			return -1;
	return store_writef(s, back, "handle", err, "%u", d->number);
}

static uint32_t features_of(struct store *s, const char *front)
{
	static const struct {
		const char *node;
		uint32_t flag;
	} known[] = {
		{ "feature-sg", XENO_VIF_SG },
		{ "feature-gso-tcpv4", XENO_VIF_GSO_TCPV4 },
		{ "feature-gso-tcpv6", XENO_VIF_GSO_TCPV6 },
		{ "feature-ipv6-csum-offload", XENO_VIF_CSUM_BLANK_V6 },
	};
	uint32_t flags = XENO_VIF_CSUM_BLANK, value;

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (store_read_number(s, front, known[i].node, &value) && value)
			flags |= known[i].flag;
	if (store_read_number(s, front, "feature-no-csum-offload", &value) &&
	    value)
		flags &= ~(uint32_t)XENO_VIF_CSUM_BLANK;
	return flags;
}

int vif_connect(struct device *d, struct store *s, struct hv *hv,
		struct error *err)
{
	struct xeno_vif_connect op = { .domain_id = d->domain_id,
				       .vif = d->number };
	char front[STORE_PATH_MAX];
	uint32_t copies = 0;

	device_front(d, front);
	if (!store_read_number(s, front, "request-rx-copy", &copies) || !copies)
		return error_set(err, ERR_UNSUPPORTED,
				 "a front end that does not copy");
	if (!store_read_number(s, front, "tx-ring-ref", &op.tx_ref) ||
	    !store_read_number(s, front, "rx-ring-ref", &op.rx_ref))
		return error_set(err, ERR_INVALID, "no ring references");
	if (store_read_number(s, front, "event-channel", &op.tx_port))
		op.rx_port = op.tx_port;
	else if (!store_read_number(s, front, "event-channel-tx",
				    &op.tx_port) ||
		 !store_read_number(s, front, "event-channel-rx", &op.rx_port))
		return error_set(err, ERR_INVALID, "no event channel");
	op.features = features_of(s, front);
	return hv_vif_connect(hv, &op, err);
}
