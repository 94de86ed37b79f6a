#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Keeps xenoserverd running for as long as the node lives: domains go on without
# it, and the next one goes on with them. When it ends because the node is to be
# off, it powers the machine off. While /run/xenoserver/hold is there none is
# started: for who wants to start one by hand.

data=/var/lib/xenoserver
# The status with which xenoserverd asks for it.
power_off=3

while true; do
	xenoserverd -l /run/consoles -e /run/leases \
		-a /run/xenoserver/api.sock -d $data/state/state.db \
		-o $data/node/operator.token -b $data/kernels -p $data/pool \
		-i $data/images -t 0.0.0.0:8440 -c $data/node/node.pem \
		-k $data/node/node.key
	status=$?
	touch /run/xenoserver/ended
	echo "op=serve.ended status=$status" >&2
	if [ $status -eq $power_off ]; then
		umount $data
		poweroff -f
	fi
	usleep 200000
	while [ -e /run/xenoserver/hold ]; do
		usleep 50000
	done
done
