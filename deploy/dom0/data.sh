#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# data.sh LABEL: waits for the disk with that file system and mounts it where
# xenoserverd awaits it, whole: what the API needs is there at that moment.

for module in crc16 crc32c_generic libcrc32c mbcache jbd2 ext4; do
	insmod "/lib/modules/$module.ko"
done
until disk=$(findfs "LABEL=$1" 2>/dev/null); do
	usleep 20000
done
mkdir /run/data
mount -t ext4 -o noatime,errors=remount-ro "$disk" /run/data || exit 1
(cd /run/data && mkdir -p -m 700 images kernels node pool state)
mount --move /run/data /var/lib/xenoserver
