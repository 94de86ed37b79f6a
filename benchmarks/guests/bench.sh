# SPDX-License-Identifier: Apache-2.0
# What jobs of benchmarks share.

# load MODULE...: in this order, those that the kernel has not built in.
load() {
	local m
	for m; do
		[ ! -f "/lib/modules/$m.ko" ] || insmod "/lib/modules/$m.ko"
	done
}

# interface_up NAME ADDRESS/BITS
interface_up() {
	local n=0
	until [ -e "/sys/class/net/$1" ]; do
		n=$((n + 1))
		[ $n -lt 100 ] || return 1
		usleep 100000
	done
	ip addr add "$2" dev "$1"
	ip link set "$1" up
}

# Has the server of the rows run a command.
ask_server() { echo "$1; exit" | nc "${peer:?}" 5002; }

# net_rows INTERFACE SERVER ASK: all rows; ASK COMMAND runs it beside the server,
# whose interface is eth0.
net_rows() {
	local on mtu row n=0
	until ping -c 1 -W 1 "$2" >/dev/null; do
		n=$((n + 1))
		[ $n -lt 100 ] || {
			echo "no answer from $2"
			return 1
		}
		sleep 1
	done
	for on in 1 0; do
		offload "$1" $on
		$3 "offload eth0 $on"
		for mtu in 1500 500; do
			ip link set "$1" mtu $mtu
			$3 "ip link set eth0 mtu $mtu"
			row=mtu${mtu}_offload$on
			net c "$2" 5001 4096 tcp_$row || return 1
			net r "$2" 5001 300 rtt_$row || return 1
		done
	done
}

# guest_wait NAME SECONDS: until the job in the guest has ended; prints what its
# console said and gives the job's status. Needs a toolstack.
guest_wait() {
	local log n=0
	log=$(guest_log "$1")
	until grep -q JOB-EXIT "$log" 2>/dev/null; do
		! grep -q PROFILE-ROW "$log" || echo PROFILE-NOW
		n=$((n + 1))
		[ $n -lt "$2" ] || break
		sleep 1
	done
	# The guest's last line is not the job's here.
	tr -d '\r' <"$log" | sed 's/JOB-EXIT/GUEST-EXIT/;s/DOM0-INIT/GUEST-INIT/'
	grep -q 'JOB-EXIT 0' "$log"
}
