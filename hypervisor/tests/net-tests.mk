# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of net.

SUITE := net

net_TESTS := net_packet net_segment net_rules net_guard net_vif net_hostile \
	net_life net_redirect net_race
net_RACES := net_race
net_FUZZ := packet netif rules
net_FUZZ_FLAGS := -max_len=2048

net_pure := hypervisor/arch/host/machine.c $(addprefix hypervisor/net/, \
	packet.c checksum.c segment.c rule_match.c rule_compile.c)
net_rooms := $(addprefix hypervisor/,arch/host/machine.c meter/meter.c \
		domain/domain_meter.c work/work.c) \
	$(addprefix hypervisor/tests/fake/,domains.c world.c net_world.c) \
	$(wildcard $(addprefix hypervisor/,net/*.c mm/*.c mm/debug/*.c event/*.c \
		grant/*.c))

net_net_packet := $(net_pure)
net_net_segment := $(net_pure)
net_net_rules := $(net_rooms)
net_net_guard := $(net_rooms)
net_net_vif := $(net_rooms)
net_net_hostile := $(net_rooms)
net_net_life := $(net_rooms)
net_net_redirect := $(net_rooms)
net_net_race := $(net_rooms)
net_packet := $(net_pure)
net_netif := $(net_rooms)
net_rules := $(net_pure)

include hypervisor/tests/hosted.mk
