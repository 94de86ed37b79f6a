# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of time, sched, meter, work, event, grant and
# their hypercalls.

SUITE := event

event_TESTS := timer bvt sched meter work event_channel grant runstate \
	event_hypercalls hc_vcpu
event_RACES := timer work event_channel
event_FUZZ := event grant
event_FUZZ_FLAGS := -max_len=2048

event_rooms := hypervisor/arch/host/machine.c \
	$(addprefix hypervisor/tests/fake/,domains.c world.c) \
	$(wildcard $(addprefix hypervisor/,mm/*.c event/*.c grant/*.c))

event_timer := $(addprefix hypervisor/,arch/host/machine.c time/timer.c \
	lib/heap.c)
event_bvt :=
event_sched := $(event_timer) $(wildcard hypervisor/sched/*.c)
event_meter := hypervisor/arch/host/machine.c hypervisor/meter/meter.c
event_work := $(event_meter) hypervisor/work/work.c
event_event_channel := $(event_rooms)
event_grant := $(event_rooms)
event_event := $(event_rooms)
event_runstate := $(event_rooms) $(addprefix hypervisor/,time/timer.c \
	lib/heap.c domain/runstate.c domain/guest_area.c hypercall/vcpu_timer.c)
event_event_hypercalls := $(event_runstate) \
	$(addprefix hypervisor/hypercall/,hc_event.c hc_grant.c hc_sched.c)
event_hc_vcpu := $(event_runstate) hypervisor/hypercall/hc_vcpu.c

include hypervisor/tests/hosted.mk
