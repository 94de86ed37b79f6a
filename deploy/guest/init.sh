#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# A guest's init: says GUEST-INIT-UP <uptime>, brings its first network device
# up with the address ip=ADDRESS/BITS of the kernel's command line, or with what
# DHCP gives for ip=dhcp, says GUEST-NET-UP, obeys whoever asks its web server
# (see remote.sh) and what is typed on its console. end=HOW of the command line (poweroff, reboot,
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

read -r up _ </proc/uptime
echo "GUEST-INIT-UP $up"

if [ -n "${ip:-}" ]; then
	ip link set eth0 up
	if [ "$ip" = dhcp ]; then
		udhcpc -q -n -t 20 -i eth0 -s /etc/udhcpc.sh
	else
		ip addr add "$ip" dev eth0
	fi
	httpd -h /www
	echo "GUEST-NET-UP $(ip -4 -o addr show dev eth0 scope global)"
fi

case ${end:-} in
poweroff) poweroff -f ;;
reboot) reboot -f ;;
crash) echo c >/proc/sysrq-trigger ;;
esac
while true; do
	setsid cttyhack sh
done
