# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz target of drivers. Run from the top directory, or
# through the main Makefile:
#   make -f hypervisor/tests/drivers-tests.mk host-tests-drivers
#   make -f hypervisor/tests/drivers-tests.mk fuzz-drivers SECONDS=60

BUILD ?= build
SECONDS ?= 60

DRIVERS_OUT := $(BUILD)/hosted/drivers
DRIVERS_HV := hypervisor
DRIVERS_T := hypervisor/tests

DRIVERS_TESTS := pci virtio_blk virtio_net plug

# The fake machine has memory and plugs of its own.
DRIVERS_SOURCES := $(DRIVERS_T)/fake/virtio_device.c \
	$(wildcard $(DRIVERS_HV)/drivers/*.c $(DRIVERS_HV)/drivers/debug/*.c) \
	$(addprefix $(DRIVERS_HV)/,arch/host/machine.c meter/meter.c \
		work/work.c lib/format.c)
DRIVERS_pci := $(DRIVERS_SOURCES)
DRIVERS_virtio_blk := $(DRIVERS_SOURCES)
DRIVERS_virtio_net := $(DRIVERS_SOURCES)
DRIVERS_virtio := $(DRIVERS_SOURCES)
DRIVERS_plug := $(wildcard $(DRIVERS_HV)/plug/*.c)

DRIVERS_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -DXENO_DEBUG \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-I$(DRIVERS_HV)/include -I$(DRIVERS_HV)/arch/host/include -Iinclude

DRIVERS_HEADERS := $(wildcard $(DRIVERS_HV)/include/hv/*.h \
	$(DRIVERS_HV)/arch/host/include/arch/*.h $(DRIVERS_T)/*/*.h \
	$(DRIVERS_HV)/drivers/*.h)

host-tests-drivers: $(DRIVERS_TESTS:%=$(DRIVERS_OUT)/test_%)
	@for t in $^; do echo "== $$t"; $$t 2>$$t.log || { cat $$t.log; exit 1; }; done

fuzz-drivers: $(DRIVERS_OUT)/fuzz_virtio
	@mkdir -p $(DRIVERS_OUT)/corpus
	$< -max_total_time=$(SECONDS) -rss_limit_mb=4096 -timeout=10 \
		-max_len=2048 -print_final_stats=1 \
		-artifact_prefix=$(DRIVERS_OUT)/ $(DRIVERS_OUT)/corpus

.SECONDEXPANSION:

$(DRIVERS_OUT)/test_%: $(DRIVERS_T)/unit/test_%.c $$(DRIVERS_$$*) \
		$(DRIVERS_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(DRIVERS_CFLAGS) -o $@ $(filter %.c,$^) -lcmocka -lpthread

$(DRIVERS_OUT)/fuzz_%: $(DRIVERS_T)/fuzz/fuzz_%.c $$(DRIVERS_$$*) \
		$(DRIVERS_HEADERS)
	@mkdir -p $(@D)
	clang $(DRIVERS_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^) -lpthread

.PHONY: host-tests-drivers fuzz-drivers
