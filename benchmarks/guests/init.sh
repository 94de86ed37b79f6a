#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# The first process on the bare machine, in a guest and in Domain 0 on Debian's
# Xen: says DOM0-INIT-UP <uptime>, runs /jobs/$job, says JOB-EXIT <status> and
# powers off. Domain 0 on ours has its own.

/bin/busybox --install -s /bin
export PATH=/bin:/usr/lib/xen-4.17/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
ip link set lo up

read -r up _ </proc/uptime
echo "DOM0-INIT-UP $up"
sh "/jobs/${job:-}"
echo "JOB-EXIT $?"
poweroff -f
