# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz target of drivers and plugs.

SUITE := drivers

drivers_TESTS := pci virtio_blk virtio_net plug
drivers_FUZZ := virtio
drivers_FUZZ_FLAGS := -max_len=2048

# The fake machine has memory and plugs of its own.
drivers_machine := hypervisor/tests/fake/virtio_device.c \
	$(wildcard hypervisor/drivers/*.c hypervisor/mm/debug/*.c) \
	$(addprefix hypervisor/,arch/host/machine.c meter/meter.c work/work.c \
		lib/format.c)

drivers_pci := $(drivers_machine)
drivers_virtio_blk := $(drivers_machine)
drivers_virtio_net := $(drivers_machine)
drivers_virtio := $(drivers_machine)
drivers_plug := $(wildcard hypervisor/plug/*.c)

include hypervisor/tests/hosted.mk
