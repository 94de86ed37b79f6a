# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz target of control. Run from the top directory, or
# through the main Makefile:
#   make -f hypervisor/tests/control-tests.mk host-tests-control
#   make -f hypervisor/tests/control-tests.mk fuzz-control SECONDS=60

BUILD ?= build
SECONDS ?= 60

CONTROL_OUT := $(BUILD)/hosted/control
CONTROL_HV := hypervisor
CONTROL_T := hypervisor/tests

CONTROL_SOURCES := $(CONTROL_HV)/arch/host/machine.c \
	$(CONTROL_T)/fake/real_domains.c $(CONTROL_T)/fake/world.c \
	$(addprefix $(CONTROL_HV)/,meter/meter.c time/timer.c lib/heap.c \
	lib/format.c hypercall/vcpu_timer.c domain/domain.c \
	domain/domain_create.c domain/domain_meter.c domain/runstate.c domain/guest_area.c \
	work/work.c plug/disk.c) \
	$(wildcard $(CONTROL_HV)/control/*.c $(CONTROL_HV)/block/*.c $(CONTROL_HV)/mm/*.c \
	$(CONTROL_HV)/event/*.c $(CONTROL_HV)/grant/*.c $(CONTROL_HV)/sched/*.c)

CONTROL_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -DXENO_DEBUG \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 -D__XEN_TOOLS__ \
	-I$(CONTROL_HV)/include -I$(CONTROL_HV)/arch/host/include -Iinclude

CONTROL_HEADERS := $(wildcard $(CONTROL_HV)/include/*/*.h include/xeno/*.h \
	$(CONTROL_HV)/arch/host/include/arch/*.h $(CONTROL_T)/*/*.h \
	$(addprefix $(CONTROL_HV)/,block/*.h control/*.h event/*.h grant/*.h mm/*.h))

host-tests-control: $(CONTROL_OUT)/test_control $(CONTROL_OUT)/test_domctl
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

CONTROL_FUZZ := control domctl

fuzz-control: $(CONTROL_FUZZ:%=$(CONTROL_OUT)/fuzz_%)
	@for t in $(CONTROL_FUZZ); do \
		mkdir -p $(CONTROL_OUT)/corpus-$$t; \
		$(CONTROL_OUT)/fuzz_$$t -max_total_time=$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -max_len=4096 \
			-print_final_stats=1 -artifact_prefix=$(CONTROL_OUT)/ \
			$(CONTROL_OUT)/corpus-$$t || exit 1; \
	done

$(CONTROL_OUT)/test_%: $(CONTROL_T)/unit/test_%.c $(CONTROL_SOURCES) \
		$(CONTROL_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CONTROL_CFLAGS) -o $@ $(filter %.c,$^) -lcmocka -lpthread

$(CONTROL_OUT)/fuzz_%: $(CONTROL_T)/fuzz/fuzz_%.c $(CONTROL_SOURCES) \
		$(CONTROL_HEADERS)
	@mkdir -p $(@D)
	clang $(CONTROL_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

.PHONY: host-tests-control fuzz-control
