#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# check-headers.sh: compiles each header of hypervisor/ alone, twice in one
# unit, for the machine and for the host, and each of accounting/, so that none
# relies on what another file happened to include before it, and all have
# include guards.
set -euo pipefail
cd "$(dirname "$0")/.."

wrong=0 count=0
check() {
	local header=$1
	shift
	count=$((count + 1))
	printf '#include "%s"\n#include "%s"\n' "$PWD/$header" "$PWD/$header" |
		"${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -fsyntax-only \
			-D__XEN_TOOLS__ \
			-D__XEN_INTERFACE_VERSION__=0x00041100 \
			-Iinclude -Ihypervisor/include "$@" -x c - ||
		{
			echo "$header: does not stand alone" >&2
			wrong=$((wrong + 1))
		}
}

for header in include/xeno/*.h hypervisor/include/hv/*.h \
		hypervisor/include/arch/*.h \
		hypervisor/arch/x86_64/include/arch/*.h; do
	[ ! -e "$header" ] || check "$header" -ffreestanding -fpie \
		-mgeneral-regs-only -Ihypervisor/arch/x86_64/include
done
for header in hypervisor/arch/host/include/arch/*.h; do
	[ ! -e "$header" ] || check "$header" -Ihypervisor/arch/host/include
done
for header in accounting/*.h; do
	[ ! -e "$header" ] || check "$header"
done
echo "check-headers: $count headers, $wrong wrong"
[ "$wrong" = 0 ]
