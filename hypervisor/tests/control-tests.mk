# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of control.

SUITE := control

control_TESTS := control domctl
control_FUZZ := control domctl
control_FUZZ_FLAGS := -max_len=4096

control_rooms := hypervisor/tests/fake/real_domains.c \
	hypervisor/tests/fake/world.c \
	$(addprefix hypervisor/,arch/host/machine.c meter/meter.c time/timer.c \
		lib/heap.c lib/format.c hypercall/vcpu_timer.c work/work.c) \
	$(addprefix hypervisor/domain/,domain.c domain_create.c domain_meter.c \
		runstate.c guest_area.c) \
	$(wildcard $(addprefix hypervisor/,control/*.c mm/*.c mm/debug/*.c \
		block/*.c net/*.c \
		plug/*.c event/*.c grant/*.c sched/*.c))

control_control := $(control_rooms)
control_domctl := $(control_rooms)

include hypervisor/tests/hosted.mk
