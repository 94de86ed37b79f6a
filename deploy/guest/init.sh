#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# A guest's init: says GUEST-INIT-UP <uptime>, brings its first network device
# up with the address ip=ADDRESS/BITS of the kernel's command line, and obeys
# what is typed on its console. end=HOW of the command line (poweroff, reboot,
# crash) ends the guest at once instead.

/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
for module in xen-blkfront xen-netfront; do
	insmod "/lib/modules/$module.ko"
done
ip link set lo up
if [ -n "${ip:-}" ]; then
	ip addr add "$ip" dev eth0
	ip link set eth0 up
fi

read -r up _ </proc/uptime
echo "GUEST-INIT-UP $up"

case ${end:-} in
poweroff) poweroff -f ;;
reboot) reboot -f ;;
crash) echo c >/proc/sysrq-trigger ;;
esac
while true; do
	setsid cttyhack sh
done
