/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a domain shall be, read from a text of lines "key = value". Pure: no
 * file is opened and nothing is looked up. # starts a comment at the start of
 * a line.
 *
 *   name = web                letters, digits, . _ -
 *   kernel = /boot/vmlinuz
 *   ramdisk = /boot/initrd
 *   command = console=hvc0    the kernel's command line
 *   memory = 128M             K, M, G
 *   max_memory = 256M         default: memory
 *   vcpus = 1
 *   weight = 256
 *   cap = 0                   thousandths of a CPU; 0: none
 *   on_poweroff = destroy     destroy, restart, preserve
 *   on_reboot = restart
 *   on_crash = preserve
 *   disk = xvda w SOURCE      any number; r: read-only. SOURCE is one of
 *                               disk:NUMBER        a whole disk of the node
 *                               partition:/dev/xvdaN
 *                               volume:GROUP/NAME  of LVM2
 *                               file:/PATH         an image file
 *   vif = mac=M ip=A ip=B     any number, in order; all words optional
 */
#ifndef MODEL_DOMAIN_CONFIG_H
#define MODEL_DOMAIN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define CONFIG_NAME_MAX 48
#define CONFIG_PATH_MAX 256
#define CONFIG_DISKS_MAX 16
#define CONFIG_VIFS_MAX 8
#define CONFIG_ADDRESSES_MAX 8
#define CONFIG_VCPUS_MAX 32
#define CONFIG_WEIGHT_USUAL 256

enum end_action { END_DESTROY, END_RESTART, END_PRESERVE };

enum disk_kind { DISK_WHOLE, DISK_PARTITION, DISK_VOLUME, DISK_FILE };

struct disk_config {
	char device[16]; /* xvda, xvdb1 */
	uint32_t number; /* of the guest ABI: 51712 is xvda */
	bool writable;
	enum disk_kind kind;
	char source[CONFIG_PATH_MAX];
};

struct vif_config {
	bool has_mac;
	uint8_t mac[6];
	uint8_t ipv4_count, ipv6_count;
	uint8_t ipv4[CONFIG_ADDRESSES_MAX][4];
	uint8_t ipv6[CONFIG_ADDRESSES_MAX][16];
};

struct domain_config {
	char name[CONFIG_NAME_MAX];
	char kernel[CONFIG_PATH_MAX], ramdisk[CONFIG_PATH_MAX];
	char command[1024];
	uint64_t memory_bytes, max_memory_bytes;
	uint32_t vcpus;
	uint32_t weight, cap_permille;
	enum end_action on_poweroff, on_reboot, on_crash;
	unsigned int disk_count, vif_count;
	struct disk_config disks[CONFIG_DISKS_MAX];
	struct vif_config vifs[CONFIG_VIFS_MAX];
};

/* text need not be terminated. The message names the line. */
int domain_config_parse(struct domain_config *out, const char *text,
			size_t bytes, struct error *err);

/* "xvda" to 51712; 0: no such name. */
uint32_t disk_number(const char *device);

/* "12M" and the like; false: no size. */
bool parse_size(const char *text, uint64_t *bytes);
bool parse_mac(const char *text, uint8_t mac[6]);

#endif
