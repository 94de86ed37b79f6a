/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The xenstore half of a device whose data path is the hypervisor's: publishes
 * the back end's nodes outside backend/ (no back-end driver of Domain 0 shall
 * claim them), follows the state of the front end, and connects and disconnects
 * in the hypervisor. What a front end writes is a guest's word: numbers out of
 * range, missing nodes and states out of order refuse the device and harm
 * nobody else.
 */
#ifndef XENSTORE_DEVICE_H
#define XENSTORE_DEVICE_H

#include "hv/hv_devices.h"
#include "xenstore/store.h"

enum device_kind { DEVICE_VBD, DEVICE_VIF };

/* States of the guest ABI, of either end. */
enum device_state {
	DEVICE_UNKNOWN,
	DEVICE_INITIALISING,
	DEVICE_INIT_WAIT,
	DEVICE_INITIALISED,
	DEVICE_CONNECTED,
	DEVICE_CLOSING,
	DEVICE_CLOSED,
};

struct device {
	enum device_kind kind;
	uint32_t domain_id;
	uint32_t number; /* virtual device, or index of the interface */
	enum device_state state;
	/* Of disks. */
	bool writable;
	uint64_t sectors;
	uint32_t physical_block_bytes;
	bool can_flush, can_discard;
	uint32_t queues_max; /* the domain's vCPUs, at most the ABI's limit */
	/* Of interfaces. */
	uint8_t mac[6];
};

/* The device exists in the hypervisor; now its nodes, and the watch. */
int device_publish(struct device *d, struct store *s, struct error *err);
/* The device and its nodes are there since an earlier process: takes its state
 * from them. Nodes that are missing are published. */
int device_adopt(struct device *d, struct store *s, struct hv *hv,
		 struct error *err);
/* Takes the watch and the nodes away, not the hypervisor's device. */
void device_withdraw(struct device *d, struct store *s);
/* The front end's state may have changed. */
void device_follow(struct device *d, struct store *s, struct hv *hv);

/* The token of the watch: device_token_parse tells whose event it is. */
bool device_token_parse(const char *token, uint32_t *domain_id,
			enum device_kind *kind, uint32_t *number);

/* Of the files of this room: directories of either end. */
void device_front(const struct device *d, char path[STORE_PATH_MAX]);
void device_back(const struct device *d, char path[STORE_PATH_MAX]);
/* The directory of all back ends of a kind for one domain. */
void device_backs(enum device_kind kind, uint32_t domain_id,
		  char path[STORE_PATH_MAX]);
int vbd_publish(const struct device *d, struct store *s, const char *back,
		struct error *err);
int vbd_connect(struct device *d, struct store *s, struct hv *hv,
		struct error *err);
int vif_publish(const struct device *d, struct store *s, const char *front,
		const char *back, struct error *err);
int vif_connect(struct device *d, struct store *s, struct hv *hv,
		struct error *err);

#endif
