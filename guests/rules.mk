# SPDX-License-Identifier: Apache-2.0
# Rules for the test guests: every guests/tests/NAME.c becomes
# $(BUILD)/guests/NAME.elf.  Included by the top Makefile; alone:
# make -f guests/rules.mk guests

BUILD ?= build
GUESTS_DIR := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
GUESTS_OUT := $(BUILD)/guests

GUEST_CC ?= gcc
GUEST_WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wvla -Wundef \
	-Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough
GUEST_CFLAGS := -std=gnu11 -O2 -g $(GUEST_WARN) -ffreestanding -fno-pic \
	-fno-stack-protector -fcf-protection=none -mcmodel=kernel \
	-mno-red-zone -mgeneral-regs-only -fno-asynchronous-unwind-tables \
	-fno-strict-aliasing -D__XEN_INTERFACE_VERSION__=0x00040e00 -D__XEN_TOOLS__ \
	-I$(GUESTS_DIR)/lib -I$(GUESTS_DIR)/../include
GUEST_LDFLAGS := -nostdlib -static -Wl,--build-id=none \
	-Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments

GUEST_HEADERS := $(wildcard $(GUESTS_DIR)/lib/*.h \
	$(GUESTS_DIR)/../include/xeno/*.h)
GUEST_LIB_C := $(wildcard $(GUESTS_DIR)/lib/*.c)
GUEST_LIB_S := $(wildcard $(GUESTS_DIR)/lib/*.S)
GUEST_LIB_OBJS := $(patsubst $(GUESTS_DIR)/lib/%,$(GUESTS_OUT)/lib/%.o,\
	$(filter-out %/report.c,$(GUEST_LIB_C)) $(GUEST_LIB_S))
GUEST_NAMES := $(patsubst $(GUESTS_DIR)/tests/%.c,%,\
	$(wildcard $(GUESTS_DIR)/tests/*.c))
GUEST_ELFS := $(GUEST_NAMES:%=$(GUESTS_OUT)/%.elf)

.PHONY: guests
guests: $(GUEST_ELFS)

$(GUESTS_OUT)/lib/%.o: $(GUESTS_DIR)/lib/% $(GUEST_HEADERS)
	@mkdir -p $(@D)
	$(GUEST_CC) $(GUEST_CFLAGS) -c -o $@ $<

# report.c is compiled with each test: the verdict line carries its name.
$(GUESTS_OUT)/%.elf: $(GUESTS_DIR)/tests/%.c $(GUESTS_DIR)/lib/report.c \
		$(GUEST_LIB_OBJS) $(GUESTS_DIR)/lib/guest.lds $(GUEST_HEADERS)
	$(GUEST_CC) $(GUEST_CFLAGS) $(GUEST_LDFLAGS) -DTEST_NAME='"$*"' \
		-Wl,-T,$(GUESTS_DIR)/lib/guest.lds -o $@ \
		$< $(GUESTS_DIR)/lib/report.c $(GUEST_LIB_OBJS)
