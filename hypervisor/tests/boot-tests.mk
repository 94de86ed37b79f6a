# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of hypervisor/boot:
#   make host-tests-boot
#   make fuzz-boot SECONDS=60
#   make options-page        docs/hypervisor-options.md from the options' table

BOOT_TESTS := boot_info command_line kernel_image guest_layout acpi build_dom0
BOOT_FUZZ := boot_info command_line kernel_image acpi
SECONDS ?= 60

BOOT_OUT := build/hosted/boot
BOOT_DIR := hypervisor/boot
BOOT_TEST_DIR := hypervisor/tests

BOOT_boot_info_SOURCES := boot_info.c memory_map.c
BOOT_command_line_SOURCES := command_line.c
BOOT_kernel_image_SOURCES := kernel_image.c kernel_notes.c decompress.c lz4.c
BOOT_guest_layout_SOURCES := guest_layout.c
BOOT_acpi_SOURCES := acpi.c acpi_tables.c
BOOT_build_dom0_SOURCES := build_dom0.c boot_scratch.c guest_layout.c \
	hypercall_page.c $(BOOT_kernel_image_SOURCES)

BOOT_kernel_image_LIBS := -llzma -lz -lzstd -llz4
BOOT_build_dom0_LIBS := $(BOOT_kernel_image_LIBS)

BOOT_COMMON := $(BOOT_TEST_DIR)/fake/boot_fakes.c hypervisor/lib/format.c

BOOT_CFLAGS := -std=gnu11 -g -O1 -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing -fsanitize=address,undefined \
	-fno-sanitize-recover=all -D__XEN_INTERFACE_VERSION__=0x00040e00 \
	-DOPTIONS_PAGE='"docs/hypervisor-options.md"' \
	-Ihypervisor/include -Ihypervisor/arch/host/include

BOOT_HEADERS := $(wildcard hypervisor/include/*/*.h \
	hypervisor/arch/host/include/arch/*.h $(BOOT_DIR)/*.h \
	$(BOOT_TEST_DIR)/*/*.h)

.PHONY: host-tests-boot fuzz-boot options-page

host-tests-boot: $(BOOT_TESTS:%=$(BOOT_OUT)/test_%)
	@for t in $^; do echo "== $$t"; $$t || exit 1; done

fuzz-boot: $(BOOT_FUZZ:%=$(BOOT_OUT)/fuzz_%)
	@for t in $(BOOT_FUZZ); do \
		mkdir -p $(BOOT_OUT)/corpus-$$t; \
		$(BOOT_OUT)/fuzz_$$t -max_total_time=$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
			$(BOOT_OUT)/corpus-$$t \
			$$(ls -d $(BOOT_TEST_DIR)/fuzz/corpus/$$t 2>/dev/null) \
			|| exit 1; \
	done

options-page: $(BOOT_OUT)/options_page
	$< > docs/hypervisor-options.md

# $(1) is the name of a suite: its test or fuzz target from its sources.
define boot_test_rule
$(BOOT_OUT)/test_$(1): $(BOOT_TEST_DIR)/unit/test_$(1).c \
		$(BOOT_$(1)_SOURCES:%=$(BOOT_DIR)/%) $(BOOT_COMMON) $(BOOT_HEADERS)
	$$(say) CC $$@
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(BOOT_CFLAGS) -o $$@ $$(filter %.c,$$^) $(BOOT_$(1)_LIBS) -lcmocka
endef

define boot_fuzz_rule
$(BOOT_OUT)/fuzz_$(1): $(BOOT_TEST_DIR)/fuzz/fuzz_$(1).c \
		$(BOOT_$(1)_SOURCES:%=$(BOOT_DIR)/%) $(BOOT_COMMON) $(BOOT_HEADERS)
	$$(say) CC $$@
	@mkdir -p $$(@D)
	$$(Q)clang $$(BOOT_CFLAGS) -fsanitize=fuzzer -o $$@ $$(filter %.c,$$^) \
		$(BOOT_$(1)_LIBS)
endef

$(foreach t,$(BOOT_TESTS),$(eval $(call boot_test_rule,$(t))))
$(foreach t,$(BOOT_FUZZ),$(eval $(call boot_fuzz_rule,$(t))))

$(BOOT_OUT)/options_page: $(BOOT_TEST_DIR)/options_page.c \
		$(BOOT_DIR)/command_line.c $(BOOT_COMMON) $(BOOT_HEADERS)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(BOOT_CFLAGS) -o $@ $(filter %.c,$^)
