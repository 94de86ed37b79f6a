# SPDX-License-Identifier: Apache-2.0
# How guests are made on ours: by xeno-dom. What stands here stands in
# toolstack-xen.sh as well:
#
#   toolstack_up             after which the rest works
#   guest_start NAME MIB KERNEL RAMDISK COMMAND [DEVICE...]
#                            a DEVICE is disk, which is the node's first,
#                            rodisk, or vif [ADDRESS OF THE GUEST], the last
#   guest_log NAME           the file that has what the guest's console said
#   guest_end NAME           destroys it

# Init has seen to it.
toolstack_up() { :; }

guest_start() {
	local name=$1 mib=$2 kernel=$3 ramdisk=$4 command=$5
	shift 5
	{
		echo "name = $name"
		echo "memory = ${mib}M"
		echo "kernel = $kernel"
		[ -z "$ramdisk" ] || echo "ramdisk = $ramdisk"
		[ -z "$command" ] || echo "command = $command"
		while [ $# -gt 0 ]; do
			case $1 in
			disk) echo "disk = xvda w disk:0" ;;
			rodisk) echo "disk = xvda r disk:0" ;;
			vif) echo "vif = ${2:+ip=$2}" ;;
			esac
			shift
		done
	} >/tmp/guest.conf
	xeno-dom create /tmp/guest.conf
}

guest_log() { echo "/run/consoles/$1.log"; }

guest_end() { xeno-dom destroy "$1"; }
