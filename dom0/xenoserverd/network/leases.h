/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses for guests that ask for one: a static lease per interface, for a
 * dnsmasq of which FOLDER/hosts is the dhcp-hostsfile and FOLDER/pid the
 * pid-file. It reads them again when one is added. When one is taken away it
 * is ended, so that it forgets what it has given; who started it starts it
 * anew. Without a folder nothing is done.
 */
#ifndef NETWORK_LEASES_H
#define NETWORK_LEASES_H

#include <stdint.h>

#include "util/error.h"

int lease_add(const char *folder, uint32_t domain_id, uint32_t vif,
	      const uint8_t mac[6], const uint8_t ipv4[4], struct error *err);
/* Nothing if there is none. */
void lease_remove(const char *folder, uint32_t domain_id, uint32_t vif);

#endif
