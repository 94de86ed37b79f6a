/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of one domain: made in the hypervisor from a configuration, and
 * their nodes in the xenstore. */
#ifndef SERVE_DEVICES_H
#define SERVE_DEVICES_H

#include "model/domain_config.h"
#include "xenstore/device.h"

#define DEVICES_MAX (CONFIG_DISKS_MAX + CONFIG_VIFS_MAX)

struct devices {
	const char *lease_folder; /* of network/leases.h; NULL: none */
	unsigned int count;
	struct device list[DEVICES_MAX];
};

/* What fails leaves those made so far in *all, for devices_destroy. */
int devices_create(struct devices *all, struct hv *hv, struct store *s,
		   uint32_t id, const struct domain_config *c,
		   struct error *err);
/* Those of a domain that an earlier process has made. */
int devices_adopt(struct devices *all, struct hv *hv, struct store *s,
		  uint32_t id, const struct domain_config *c,
		  struct error *err);
/* Domain 0's own: each whole disk, xvda on, unchecked, and an interface with
 * the card's address that hears the guests' DHCP. Nothing on a hypervisor that
 * serves none. Those of an earlier process are gone on with. */
int devices_create_own(struct devices *all, struct hv *hv, struct store *s,
		       struct error *err);
void devices_destroy(struct devices *all, struct hv *hv, struct store *s);
/* Removes what is left of the nodes of a domain's back ends. */
void devices_forget(struct store *s, uint32_t id);
void devices_follow(struct devices *all, struct hv *hv, struct store *s,
		    enum device_kind kind, uint32_t number);

#endif
