# SPDX-License-Identifier: Apache-2.0
# How guests are made on Debian's Xen: by xl. See toolstack-xeno.sh.

XL_LOGS=/var/log/xen/console

toolstack_up() {
	load xen-privcmd xen-evtchn xen-gntdev xen-gntalloc xenfs virtio_ring \
		virtio virtio_pci_legacy_dev virtio_pci_modern_dev \
		virtio_pci virtio_blk llc stp bridge xen-blkback xen-netback
	mount -t xenfs xenfs /proc/xen
	mkdir -p /run/xen /run/xenstored
	"${store:-xenstored}" --pid-file /run/xenstored.pid
	xen-init-dom0
	xenconsoled --log=guest --log-dir=$XL_LOGS \
		--pid-file=/run/xenconsoled.pid
	brctl addbr xenbr0
	ip link set xenbr0 up
}

guest_start() {
	local name=$1 mib=$2 kernel=$3 ramdisk=$4 command=$5
	shift 5
	{
		echo "name='$name'"
		echo "memory=$mib"
		echo "kernel='$kernel'"
		[ -z "$ramdisk" ] || echo "ramdisk='$ramdisk'"
		[ -z "$command" ] || echo "extra='$command'"
		# Or Xen emulates every reading of the time stamp counter,
		# which QEMU's machine makes it do and others do not.
		echo "tsc_mode='native'"
		echo "on_poweroff='destroy'"
		while [ $# -gt 0 ]; do
			case $1 in
			disk) echo "disk=['phy:/dev/vda,xvda,w']" ;;
			rodisk) echo "disk=['phy:/dev/vda,xvda,r']" ;;
			vif) echo "vif=['bridge=xenbr0']" ;;
			esac
			shift
		done
	} >/tmp/guest.xl
	xl create -q /tmp/guest.xl
}

guest_log() { echo "$XL_LOGS/guest-$1.log"; }

guest_end() { xl destroy "$1"; }
