# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of net. Run from the top directory, or through
# the main Makefile:
#   make -f hypervisor/tests/net-tests.mk host-tests-net
#   make -f hypervisor/tests/net-tests.mk fuzz-net SECONDS=60

BUILD ?= build
SECONDS ?= 60

NET_OUT := $(BUILD)/hosted/net
NET_HV := hypervisor
NET_T := hypervisor/tests

NET_TESTS := net_packet net_segment net_rules net_guard net_vif net_hostile \
	net_life net_redirect
# Those with threads run once more under the thread sanitizer.
NET_RACES := net_race
NET_FUZZ := packet netif rules

NET_PURE := $(NET_HV)/arch/host/machine.c \
	$(addprefix $(NET_HV)/net/,packet.c checksum.c segment.c rule_match.c \
	rule_compile.c)
NET_ROOMS := $(NET_HV)/arch/host/machine.c $(NET_T)/fake/domains.c \
	$(NET_T)/fake/world.c \
	$(NET_T)/fake/net_world.c $(NET_HV)/meter/meter.c \
	$(NET_HV)/work/work.c \
	$(wildcard $(NET_HV)/net/*.c $(NET_HV)/mm/*.c $(NET_HV)/event/*.c \
		$(NET_HV)/grant/*.c)

NET_net_packet := $(NET_PURE)
NET_net_rules := $(NET_ROOMS)
NET_net_segment := $(NET_PURE)
NET_net_vif := $(NET_ROOMS)
NET_net_guard := $(NET_ROOMS)
NET_net_hostile := $(NET_ROOMS)
NET_net_life := $(NET_ROOMS)
NET_net_redirect := $(NET_ROOMS)
NET_net_race := $(NET_ROOMS)
NET_packet := $(NET_PURE)
NET_netif := $(NET_ROOMS)
NET_rules := $(NET_PURE)

NET_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -DXENO_DEBUG \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-I$(NET_HV)/include -I$(NET_HV)/arch/host/include -Iinclude \
	-I$(NET_HV)/net

NET_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all

NET_HEADERS := $(wildcard $(NET_HV)/include/hv/*.h include/xeno/*.h \
	$(NET_HV)/arch/host/include/arch/*.h $(NET_T)/*/*.h \
	$(addprefix $(NET_HV)/,net/*.h event/*.h grant/*.h mm/*.h))

host-tests-net: $(NET_TESTS:%=$(NET_OUT)/test_%) \
		$(NET_RACES:%=$(NET_OUT)/test_%) \
		$(NET_RACES:%=$(NET_OUT)/race_%)
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

fuzz-net: $(NET_FUZZ:%=$(NET_OUT)/fuzz_%)
	@for t in $(NET_FUZZ); do \
		mkdir -p $(NET_OUT)/corpus-$$t; \
		$(NET_OUT)/fuzz_$$t -max_total_time=$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -max_len=2048 \
			-print_final_stats=1 -artifact_prefix=$(NET_OUT)/ \
			$(NET_OUT)/corpus-$$t || exit 1; \
	done

.SECONDEXPANSION:

$(NET_OUT)/test_%: $(NET_T)/unit/test_%.c $$(NET_$$*) $(NET_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(NET_CFLAGS) $(NET_SANITIZE) -o $@ $(filter %.c,$^) \
		-lcmocka -lpthread

$(NET_OUT)/race_%: $(NET_T)/unit/test_%.c $$(NET_$$*) $(NET_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(NET_CFLAGS) -fsanitize=thread -o $@ $(filter %.c,$^) \
		-lcmocka -lpthread

$(NET_OUT)/fuzz_%: $(NET_T)/fuzz/fuzz_%.c $$(NET_$$*) $(NET_HEADERS)
	@mkdir -p $(@D)
	clang $(NET_CFLAGS) $(NET_SANITIZE) -fsanitize=fuzzer -o $@ \
		$(filter %.c,$^)

.PHONY: host-tests-net fuzz-net
