#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Domain 0's init: mounts what programs expect, loads the doors to the
# hypervisor, starts the xenstore daemon and the process that looks after
# domains, says DOM0-INIT-UP <uptime>, runs the job named by job=NAME on the
# kernel's command line (a file of /jobs), says JOB-EXIT <status> and powers the
# machine off. Without a job it offers a shell on the console.
#
# data=LABEL of the command line names the file system of the node's data, on
# one of its disks: once that is mounted, xenoserverd serves the REST API.

/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
ip link set lo up

for module in xen-privcmd xen-evtchn xen-gntdev xenfs; do
	insmod "/lib/modules/$module.ko"
done
mount -t xenfs xenfs /proc/xen
mkdir -p /run/xenstored /run/consoles /run/leases/hosts /run/xenoserver
xenstored --pid-file /run/xenstored.pid

# Its socket appears before it answers; the serving process needs an answer.
until xenstore-ls / >/dev/null 2>&1; do
	usleep 20000
done
for module in xen-blkfront xen-netfront; do
	insmod "/lib/modules/$module.ko"
done

/etc/serve.sh 2>>/run/xeno-dom.log &
until [ -S /run/xeno-dom.socket ]; do
	if [ -e /run/xenoserver/ended ]; then
		cat /run/xeno-dom.log
		break
	fi
	usleep 20000
done

/etc/network.sh start >/run/network.log 2>&1 &
[ -z "${data:-}" ] || /etc/data.sh "$data" 2>>/run/xeno-dom.log &

read -r up _ </proc/uptime
echo "DOM0-INIT-UP $up"

case ${job:-shell} in
shell)
	echo "DOM0-SHELL-UP"
	setsid cttyhack sh
	;;
*)
	if [ -f "/jobs/$job" ]; then
		sh "/jobs/$job"
	else
		echo "no job $job in this image"
		false
	fi
	echo "JOB-EXIT $?"
	;;
esac
/etc/poweroff.sh
