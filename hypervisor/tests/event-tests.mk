# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of time, sched, meter, work, event, grant and their
# hypercalls. Run from the top directory, or through the main Makefile:
#   make -f hypervisor/tests/event-tests.mk host-tests-event
#   make -f hypervisor/tests/event-tests.mk fuzz-event SECONDS=60

BUILD ?= build
SECONDS ?= 60

EVENT_OUT := $(BUILD)/hosted/event
EVENT_HV := hypervisor
EVENT_T := hypervisor/tests

EVENT_TESTS := timer bvt sched meter work event_channel grant runstate \
	event_hypercalls hc_vcpu
# Those with threads run once more under the thread sanitizer.
EVENT_RACES := timer work event_channel
EVENT_FUZZ := event grant

EVENT_MACHINE := $(EVENT_HV)/arch/host/machine.c
EVENT_ROOMS := $(EVENT_MACHINE) $(EVENT_T)/fake/domains.c $(EVENT_T)/fake/world.c \
	$(wildcard $(EVENT_HV)/mm/*.c $(EVENT_HV)/event/*.c \
		$(EVENT_HV)/grant/*.c)
EVENT_TIME := $(EVENT_HV)/time/timer.c $(EVENT_HV)/lib/heap.c \
	$(EVENT_HV)/domain/runstate.c $(EVENT_HV)/domain/guest_area.c

EVENT_timer := $(EVENT_MACHINE) $(EVENT_HV)/time/timer.c \
	$(EVENT_HV)/lib/heap.c
EVENT_bvt :=
EVENT_sched := $(EVENT_MACHINE) $(EVENT_HV)/time/timer.c \
	$(wildcard $(EVENT_HV)/sched/*.c) \
	$(EVENT_HV)/lib/heap.c
EVENT_meter := $(EVENT_MACHINE) $(EVENT_HV)/meter/meter.c
EVENT_work := $(EVENT_meter) $(EVENT_HV)/work/work.c
EVENT_event_channel := $(EVENT_ROOMS)
EVENT_grant := $(EVENT_ROOMS)
EVENT_event := $(EVENT_ROOMS)
EVENT_runstate := $(EVENT_ROOMS) $(EVENT_TIME) \
	$(EVENT_HV)/hypercall/vcpu_timer.c
EVENT_event_hypercalls := $(EVENT_runstate) \
	$(addprefix $(EVENT_HV)/hypercall/,hc_event.c hc_grant.c hc_sched.c)
EVENT_hc_vcpu := $(EVENT_runstate) $(EVENT_HV)/hypercall/hc_vcpu.c

EVENT_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -DXENO_DEBUG \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-I$(EVENT_HV)/include -I$(EVENT_HV)/arch/host/include -Iinclude

EVENT_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all

EVENT_HEADERS := $(wildcard $(EVENT_HV)/include/*/*.h include/xeno/*.h \
	$(EVENT_HV)/arch/host/include/arch/*.h $(EVENT_T)/*/*.h \
	$(addprefix $(EVENT_HV)/,event/*.h grant/*.h mm/*.h sched/*.h))

host-tests-event: $(EVENT_TESTS:%=$(EVENT_OUT)/test_%) \
		$(EVENT_RACES:%=$(EVENT_OUT)/race_%)
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

fuzz-event: $(EVENT_FUZZ:%=$(EVENT_OUT)/fuzz_%)
	@for t in $(EVENT_FUZZ); do \
		mkdir -p $(EVENT_OUT)/corpus-$$t; \
		$(EVENT_OUT)/fuzz_$$t -max_total_time=$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -max_len=2048 \
			-print_final_stats=1 $(EVENT_OUT)/corpus-$$t \
			|| exit 1; \
	done

.SECONDEXPANSION:

$(EVENT_OUT)/test_%: $(EVENT_T)/unit/test_%.c $$(EVENT_$$*) $(EVENT_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(EVENT_CFLAGS) $(EVENT_SANITIZE) -o $@ $(filter %.c,$^) \
		-lcmocka -lpthread

$(EVENT_OUT)/race_%: $(EVENT_T)/unit/test_%.c $$(EVENT_$$*) $(EVENT_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(EVENT_CFLAGS) -fsanitize=thread -o $@ $(filter %.c,$^) \
		-lcmocka -lpthread

$(EVENT_OUT)/fuzz_%: $(EVENT_T)/fuzz/fuzz_%.c $$(EVENT_$$*) $(EVENT_HEADERS)
	@mkdir -p $(@D)
	clang $(EVENT_CFLAGS) $(EVENT_SANITIZE) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

.PHONY: host-tests-event fuzz-event
