#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Keeps xenoserverd running for as long as the node lives: domains go on without
# it, and the next one goes on with them. When it ends because the node is to be
# off, it powers the machine off. While /run/xenoserver/hold is there none is
# started: for who wants to start one by hand.

data=/var/lib/xenoserver
socket=/run/xeno-dom.socket
# The status with which xenoserverd asks for it.
power_off=3

serve() {
	xenoserverd -s $socket -l /run/consoles -e /run/leases \
		-a /run/xenoserver/api.sock -d $data/state/state.db \
		-o $data/node/operator.token -b $data/kernels -p $data/pool \
		-i $data/images -t 0.0.0.0:8440 -c $data/node/node.pem \
		-k $data/node/node.key
}

while true; do
	serve
	status=$?
	touch /run/xenoserver/ended
	echo "op=serve.ended status=$status" >&2
	if [ $status -eq $power_off ]; then
		umount $data
		# Domain 0's devices need it once more. The store is out of
		# reach, so no API is served.
		serve &
		until [ -S $socket ]; do
			usleep 20000
		done
		/etc/poweroff.sh
	fi
	usleep 200000
	while [ -e /run/xenoserver/hold ]; do
		usleep 50000
	done
done
