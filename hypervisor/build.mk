# SPDX-License-Identifier: Apache-2.0
# The hypervisor: build/hypervisor/xeno.elf, or build/hypervisor-debug/xeno.elf
# with DEBUG=1 (checks of itself), or build/hypervisor-latency/xeno.elf with
# LATENCY=1 (measures its longest entries). Variables: BUILD, CC, V, these.

BUILD ?= build
HV_SRC := hypervisor
ifeq ($(DEBUG),1)
HV_BUILD := $(BUILD)/hypervisor-debug
HV_FLAVOUR := -DXENO_DEBUG -DXENO_AUDIT
HV_FLAVOUR_ROOMS := debug mm/debug arch/x86_64/debug
# A violation is an undefined instruction, and that is a panic.
ifneq ($(findstring clang,$(CC)),)
HV_SANITIZE := -fsanitize=undefined -fsanitize-trap=undefined
else
HV_SANITIZE := -fsanitize=undefined -fsanitize-undefined-trap-on-error
endif
else ifeq ($(LATENCY),1)
HV_BUILD := $(BUILD)/hypervisor-latency
HV_FLAVOUR := -DXENO_LATENCY
HV_FLAVOUR_ROOMS := arch/x86_64/latency
HV_SANITIZE :=
else
HV_BUILD := $(BUILD)/hypervisor
HV_FLAVOUR :=
HV_FLAVOUR_ROOMS :=
HV_SANITIZE :=
endif
HV_ELF := $(HV_BUILD)/xeno.elf

HV_WARN := -Wall -Wextra -Werror -Wshadow -Wundef -Wvla -Wpointer-arith \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wredundant-decls -Wnested-externs \
	-Wimplicit-fallthrough -Wno-address-of-packed-member
# The image lies in the hypervisor's own part of the address space, not in the
# top 2 GiB, so code is position independent instead of -mcmodel=kernel.
HV_CFLAGS := -std=gnu11 -O2 -g -ffreestanding -fpie \
	-mno-red-zone -mgeneral-regs-only -fno-strict-aliasing -fno-common \
	-fno-stack-protector -fcf-protection=none -fno-omit-frame-pointer \
	-fno-asynchronous-unwind-tables -fno-delete-null-pointer-checks \
	-fno-jump-tables -include $(HV_SRC)/include/hv/hidden.h $(HV_WARN) $(HV_SANITIZE)
HV_CPPFLAGS := $(HV_FLAVOUR) -D__XEN_INTERFACE_VERSION__=0x00041100 -D__XEN_TOOLS__ \
	-I$(HV_SRC)/include -I$(HV_SRC)/arch/x86_64/include -Iinclude \
	-I$(HV_SRC)/arch/x86_64 -I$(HV_BUILD) -isystem $(BUILD)/include

HV_ROOMS := boot lib mm domain sched time event grant net hypercall control block \
	console meter work plug drivers arch/x86_64 $(HV_FLAVOUR_ROOMS)
HV_C := $(filter-out %/asm_offsets.c,$(wildcard $(HV_ROOMS:%=$(HV_SRC)/%/*.c)))
HV_S := $(wildcard $(HV_SRC)/arch/x86_64/*.S)
HV_OBJS := $(HV_S:%.S=$(HV_BUILD)/%.o) $(HV_C:%.c=$(HV_BUILD)/%.o)
# Debian's decompressors, as static libraries.
HV_LIBS := -llzma -lz -lzstd

$(BUILD)/include/xen:
	@mkdir -p $(@D)
	$(Q)ln -sfn /usr/include/xen $@

$(HV_BUILD)/generated/asm_offsets.h: $(HV_SRC)/arch/x86_64/asm_offsets.c \
		$(HV_SRC)/arch/x86_64/include/arch/cpu.h \
		$(HV_SRC)/arch/x86_64/include/arch/vcpu.h \
		$(HV_SRC)/include/arch/regs.h \
		$(HV_SRC)/include/hv/domain.h | $(BUILD)/include/xen
	@mkdir -p $(@D)
	$(Q)$(CC) $(HV_CFLAGS) $(HV_CPPFLAGS) -S -o - $< | \
		sed -n 's/^[[:space:]]*#OFFSET \([A-Z0-9_]*\) \([0-9-]*\)/#define \1 \2/p' > $@.new
	$(Q)mv $@.new $@

# The audit's loops over all memory are most of the time of a debug build. The
# hosted tests check them for undefined behaviour.
$(HV_BUILD)/$(HV_SRC)/mm/audit%: HV_CFLAGS := $(filter-out $(HV_SANITIZE),$(HV_CFLAGS))

$(HV_BUILD)/%.o: %.c | $(BUILD)/include/xen
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(HV_CFLAGS) $(HV_CPPFLAGS) -MMD -MP -c -o $@ $<

$(HV_BUILD)/%.o: %.S $(HV_BUILD)/generated/asm_offsets.h
	$(say) AS $<
	@mkdir -p $(@D)
	$(Q)$(CC) -g $(HV_CPPFLAGS) -MMD -MP -c -o $@ $<

HV_LINK = $(CC) -nostdlib -static $(if $(findstring clang,$(CC)),,-no-pie) -Wl,--build-id=none \
	-Wl,-z,noexecstack -Wl,--no-warn-rwx-segments -Wl,--gc-sections -Wl,--no-relax \
	-Wl,-z,max-page-size=4096 -T $(HV_SRC)/arch/x86_64/hypervisor.lds

# Linked twice: the symbols of the first image become a table in the second,
# behind everything else, so no address moves.
$(HV_ELF): $(HV_OBJS) $(HV_SRC)/arch/x86_64/hypervisor.lds \
		$(HV_SRC)/arch/x86_64/symbols.awk
	$(say) LD $@
	$(Q)awk -f $(HV_SRC)/arch/x86_64/symbols.awk /dev/null > $(HV_BUILD)/symbols0.S
	$(Q)$(CC) -c -o $(HV_BUILD)/symbols0.o $(HV_BUILD)/symbols0.S
	$(Q)$(HV_LINK) -o $@.first $(HV_OBJS) $(HV_BUILD)/symbols0.o $(HV_LIBS)
	$(Q)nm -n $@.first | awk -f $(HV_SRC)/arch/x86_64/symbols.awk > $(HV_BUILD)/symbols1.S
	$(Q)$(CC) -c -o $(HV_BUILD)/symbols1.o $(HV_BUILD)/symbols1.S
	$(Q)$(HV_LINK) -o $@.new $(HV_OBJS) $(HV_BUILD)/symbols1.o $(HV_LIBS)
	$(Q)rm $@.first
	$(Q)mv $@.new $@

.PHONY: hypervisor
hypervisor: $(HV_ELF)

-include $(HV_OBJS:.o=.d)
