# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of block and its control operations. Run from
# the top directory, or through the main Makefile:
#   make -f hypervisor/tests/block-tests.mk host-tests-block
#   make -f hypervisor/tests/block-tests.mk fuzz-block SECONDS=60

BUILD ?= build
SECONDS ?= 60

BLOCK_OUT := $(BUILD)/hosted/block
BLOCK_HV := hypervisor
BLOCK_T := hypervisor/tests

BLOCK_TESTS := extent_map request_queue blkif vbd
BLOCK_FUZZ := blkif vbd

BLOCK_ROOMS := $(BLOCK_HV)/arch/host/machine.c $(BLOCK_T)/fake/domains.c \
	$(BLOCK_T)/fake/world.c \
	$(BLOCK_T)/fake/block_world.c $(BLOCK_T)/fake/absent_controls.c \
	$(BLOCK_HV)/meter/meter.c \
	$(BLOCK_HV)/lib/heap.c \
	$(BLOCK_HV)/control/control.c $(BLOCK_HV)/control/control_vbd.c \
	$(BLOCK_HV)/control/control_node.c \
	$(wildcard $(BLOCK_HV)/block/*.c $(BLOCK_HV)/mm/*.c \
		$(BLOCK_HV)/event/*.c $(BLOCK_HV)/grant/*.c)

BLOCK_extent_map := $(BLOCK_HV)/block/extent_map.c
BLOCK_request_queue := $(BLOCK_HV)/arch/host/machine.c \
	$(BLOCK_HV)/block/request_queue.c $(BLOCK_HV)/lib/heap.c
BLOCK_blkif := $(BLOCK_ROOMS)
BLOCK_vbd := $(BLOCK_ROOMS)

BLOCK_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -DXENO_DEBUG \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-I$(BLOCK_HV)/include -I$(BLOCK_HV)/arch/host/include -Iinclude

BLOCK_HEADERS := $(wildcard $(BLOCK_HV)/include/hv/*.h include/xeno/*.h \
	$(BLOCK_HV)/arch/host/include/arch/*.h $(BLOCK_T)/*/*.h \
	$(addprefix $(BLOCK_HV)/,block/*.h control/*.h event/*.h grant/*.h \
		mm/*.h))

host-tests-block: $(BLOCK_TESTS:%=$(BLOCK_OUT)/test_%)
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

fuzz-block: $(BLOCK_FUZZ:%=$(BLOCK_OUT)/fuzz_%)
	@for t in $(BLOCK_FUZZ); do \
		mkdir -p $(BLOCK_OUT)/corpus-$$t; \
		$(BLOCK_OUT)/fuzz_$$t -max_total_time=$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -max_len=2048 -len_control=0 \
			-print_final_stats=1 -artifact_prefix=$(BLOCK_OUT)/ \
			$(BLOCK_OUT)/corpus-$$t || exit 1; \
	done

.SECONDEXPANSION:
$(BLOCK_OUT)/test_%: $(BLOCK_T)/unit/test_%.c $$(BLOCK_$$*) $(BLOCK_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(BLOCK_CFLAGS) -o $@ $(filter %.c,$^) -lcmocka -lpthread

$(BLOCK_OUT)/fuzz_%: $(BLOCK_T)/fuzz/fuzz_%.c $$(BLOCK_ROOMS) $(BLOCK_HEADERS)
	@mkdir -p $(@D)
	clang $(BLOCK_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

.PHONY: host-tests-block fuzz-block
