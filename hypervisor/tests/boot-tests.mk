# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of boot. One target more:
#   make options-page        docs/hypervisor-options.md from the options' table

SUITE := boot

boot_TESTS := boot_info command_line kernel_image guest_layout acpi build_dom0
boot_FUZZ := boot_info command_line kernel_image acpi
boot_LIBS := -llzma -lz -lzstd -llz4

boot_common := hypervisor/tests/fake/boot_fakes.c hypervisor/lib/format.c

boot_boot_info := $(boot_common) \
	$(addprefix hypervisor/boot/,boot_info.c memory_map.c)
boot_command_line := $(boot_common) hypervisor/boot/command_line.c
boot_kernel_image := $(boot_common) $(addprefix hypervisor/boot/, \
	kernel_image.c kernel_notes.c decompress.c lz4.c)
boot_guest_layout := $(boot_common) hypervisor/boot/guest_layout.c
boot_acpi := $(boot_common) \
	$(addprefix hypervisor/boot/,acpi.c acpi_tables.c)
boot_build_dom0 := $(boot_kernel_image) $(addprefix hypervisor/boot/, \
	build_dom0.c boot_scratch.c guest_layout.c hypercall_page.c)

include hypervisor/tests/hosted.mk

options-page: $(HOSTED_OUT)/boot/options_page
	$< > docs/hypervisor-options.md

$(HOSTED_OUT)/boot/options_page: $(patsubst %.c,$(HOSTED_OBJ)/address/%.o, \
		hypervisor/tests/options_page.c $(boot_command_line))
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(HOSTED_CC_address) -o $@ $^

-include $(HOSTED_OBJ)/address/hypervisor/tests/options_page.d

.PHONY: options-page
