#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Powers the machine off. Domain 0's own devices are let go of first, while
# xenoserverd, their other end, is there: a kernel that is going down does not
# hear the xenstore any more, and waits 5 s for each device that it still has.

umount /var/lib/xenoserver 2>/dev/null
for driver in vif vbd; do
	for device in /sys/bus/xen/drivers/"$driver/$driver"-*; do
		[ ! -e "$device" ] ||
			echo "${device##*/}" >/sys/bus/xen/drivers/$driver/unbind
	done
done
poweroff -f
