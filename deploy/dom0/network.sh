#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# network.sh start: gives Domain 0's own interface the address that
# net=ADDRESS/BITS,GATEWAY,DNS of the kernel's command line says, or else the one
# that it gets by DHCP; /run/network-up then has these three. Then it answers
# guests' DHCP itself, out of /run/leases. udhcpc calls it, too.

configure() {
	ip addr flush dev eth0
	ip addr add "$1" dev eth0
	[ -z "$2" ] || ip route replace default via "$2"
	[ -z "$3" ] || echo "nameserver $3" >/etc/resolv.conf
	echo "$1 $2 $3" >/run/network-up
}

# serve_leases ADDRESS/BITS GATEWAY DNS
serve_leases() {
	eval "$(ipcalc -n -m "$1")"
	while true; do
		dnsmasq --keep-in-foreground --conf-file=/dev/null --port=0 \
			--user=root --group=root --log-facility=- \
			--interface=eth0 --bind-dynamic --no-ping \
			--leasefile-ro --dhcp-authoritative \
			--pid-file=/run/leases/pid \
			--dhcp-hostsfile=/run/leases/hosts \
			--dhcp-range="$NETWORK,static,$NETMASK,infinite" \
			--dhcp-option="option:router${2:+,$2}" \
			--dhcp-option="option:dns-server${3:+,$3}"
		usleep 100000
	done
}

start() {
	until [ -e /sys/class/net/eth0 ]; do
		usleep 50000
	done
	ip link set eth0 up
	if [ -n "${net:-}" ]; then
		# shellcheck disable=SC2046
		configure $(echo "$net" | tr , ' ')
	else
		until udhcpc -q -n -i eth0 -s "$0"; do
			sleep 1
		done
	fi
	# shellcheck disable=SC2046
	serve_leases $(cat /run/network-up)
}

case $1 in
start)
	start
	;;
bound | renew)
	# shellcheck disable=SC2154
	configure "$ip/$mask" "${router%% *}" "${dns%% *}"
	;;
esac
