#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# A guest's init: says GUEST-INIT-UP <uptime>, brings its first network device
# up with the address ip=ADDRESS/BITS of the kernel's command line, or with what
# DHCP gives for ip=dhcp, says GUEST-NET-UP, obeys whoever asks its web server
# (see remote.sh) and what is typed on its console. end=HOW of the command line
# (poweroff, reboot, crash) ends the guest at once instead. load=1 keeps its
# first disk and, with peer=ADDRESS, its network busy, and says GUEST-LOAD once
# both are.

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

if [ -n "${load:-}" ]; then
	while :; do
		dd if=/dev/xvda of=/dev/null bs=256k count=64 iflag=direct
		dd if=/dev/zero of=/dev/xvda bs=256k count=64 oflag=direct
	done 2>/dev/null &
	while :; do
		ping -q -c 100 -i 0.01 -s 1400 "${peer:-127.0.0.1}"
	done >/dev/null 2>&1 &
	sleep 1
	echo GUEST-LOAD
fi

case ${end:-} in
poweroff) poweroff -f ;;
reboot) reboot -f ;;
crash) echo c >/proc/sysrq-trigger ;;
esac
while true; do
	setsid cttyhack sh
done
