#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
#
# Second half of the test image's init: mounts what programs expect, says
# DOM0-INIT-UP <uptime>, runs the job named by job=NAME on the kernel's command
# line (a file of /jobs), says JOB-EXIT <status> and powers the machine off.
# Without a job it offers a shell on the console.

/bin/busybox --install -s /bin
export PATH=/bin HOME=/root
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /root
mount -t devpts pts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t tmpfs run /run
ip link set lo up

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
poweroff -f
