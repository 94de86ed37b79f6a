#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Does what udhcpc has been told by a server.

if [ "$1" = bound ]; then
	# udhcpc's variables.
	# shellcheck disable=SC2154
	ip addr add "$ip/$mask" dev eth0
	[ -z "${router:-}" ] || ip route add default via "${router%% *}"
	[ -z "${dns:-}" ] || echo "nameserver ${dns%% *}" >/etc/resolv.conf
fi
