#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# What xl runs when a device comes or goes, as "block" and as "vif-bridge".
PATH=/bin
p=$XENBUS_PATH
case "${0##*/}:$1" in
block:add)
	dev=$(xenstore-read "$p/params")
	xenstore-write "$p/physical-device" "$(stat -L -c %t:%T "$dev")"
	xenstore-write "$p/hotplug-status" connected
	;;
vif-bridge:online)
	# shellcheck disable=SC2154
	ip link set "$vif" master "$(xenstore-read "$p/bridge")"
	ip link set "$vif" up
	xenstore-write "$p/hotplug-status" connected
	;;
esac
