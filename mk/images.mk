# SPDX-License-Identifier: Apache-2.0
# What runs inside the emulated machine besides the hypervisor: Debian's kernel,
# Domain 0's test image, and real Xen for comparison.

DOM0 := deploy/dom0-test
IMAGES := $(BUILD)/images
PROGRAMS := $(BUILD)/dom0-programs

VMLINUZ := $(IMAGES)/vmlinuz
# The same, unpacked ahead of time.
VMLINUX := $(IMAGES)/vmlinux
DOM0_IMAGE := $(IMAGES)/dom0-test.cpio
STRESS_IMAGE := $(IMAGES)/dom0-stress.cpio
XEN := $(IMAGES)/xen-4.17

IMAGE_PROGRAMS := $(addprefix $(PROGRAMS)/,init compat32 clocks micro hello \
	xeno-stat)
# The kernel's door to hypercalls; Debian builds it as a module.
PRIVCMD := $(IMAGES)/xen-privcmd.ko

PROGRAM_CFLAGS := -O2 -static -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
	-Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wwrite-strings

# What programs need that make control operations.
CONTROL_CALL := dom0/tools/control_call.c dom0/tools/control_call.h \
	$(wildcard include/xeno/*.h)

images: $(VMLINUZ) $(DOM0_IMAGE) $(STRESS_IMAGE) ## the kernel and Domain 0's test images

$(VMLINUZ): $(BUILD)/deps/kernel.mk
	@mkdir -p $(@D)
	$(Q)cp $(BUILD)/debian/kernel/boot/vmlinuz-* $@

$(VMLINUX): scripts/unpack-kernel $(VMLINUZ)
	$(say) UNPACK $@
	$(Q)$^ $@

$(PRIVCMD): $(BUILD)/deps/kernel.mk
	@mkdir -p $(@D)
	$(Q)cp $(BUILD)/debian/kernel/lib/modules/*/kernel/drivers/xen/$(@F) $@

$(XEN): $(BUILD)/deps/xen.mk
	@mkdir -p $(@D)
	$(Q)gzip -dc $(BUILD)/debian/xen/boot/xen-4.17-amd64.gz > $@

$(PROGRAMS)/init: $(DOM0)/init.S
	@mkdir -p $(@D)
	$(Q)$(CC) -static -nostdlib -no-pie -Wl,--build-id=none -o $@ $<

$(PROGRAMS)/compat32: $(DOM0)/compat32.S
	@mkdir -p $(@D)
	$(Q)$(CC) -E -o $(@D)/compat32.s $<
	$(Q)as --32 -o $(@D)/compat32.o $(@D)/compat32.s
	$(Q)ld -m elf_i386 -o $@ $(@D)/compat32.o

$(PROGRAMS)/clocks: $(DOM0)/clocks.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -o $@ $<

$(PROGRAMS)/hello: benchmarks/hello.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -o $@ $<

$(PROGRAMS)/micro: $(wildcard benchmarks/micro/*.c) benchmarks/micro/micro.h \
		$(CONTROL_CALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -Iinclude -Idom0/tools -o $@ $(filter %.c,$^)

$(PROGRAMS)/xeno-stat: dom0/tools/xeno-stat.c $(CONTROL_CALL)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -Iinclude -o $@ $(filter %.c,$^)

$(DOM0_IMAGE): $(DOM0)/build-image $(DOM0)/init.sh \
		$(wildcard $(DOM0)/jobs/*) $(IMAGE_PROGRAMS) $(PRIVCMD) \
		$(BUILD)/deps/userland.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< base $@ $(BUILD)/debian/userland $(IMAGE_PROGRAMS) \
		$(PRIVCMD)

$(STRESS_IMAGE): $(DOM0)/build-image $(DOM0)/stress-exclude \
		$(BUILD)/deps/userland.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< stress $@ $(BUILD)/debian/userland

.PHONY: images
