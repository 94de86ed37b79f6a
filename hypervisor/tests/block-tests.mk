# SPDX-License-Identifier: Apache-2.0
# Hosted tests and fuzz targets of block and its control operations.

SUITE := block

block_TESTS := extent_map request_queue blkif_requests blkif_rings blkif_end vbd \
	dma_check
block_FUZZ := blkif vbd
block_FUZZ_FLAGS := -max_len=2048 -len_control=0

block_rooms := hypervisor/arch/host/machine.c \
	$(addprefix hypervisor/tests/fake/,domains.c world.c block_world.c \
		absent_controls.c) \
	hypervisor/meter/meter.c hypervisor/lib/heap.c \
	hypervisor/domain/domain_meter.c \
	$(addprefix hypervisor/control/,control.c control_vbd.c \
		control_node.c) \
	$(wildcard $(addprefix hypervisor/,block/*.c mm/*.c mm/debug/*.c event/*.c \
		grant/*.c))

block_guest := $(block_rooms) hypervisor/tests/fake/blkif_guest.c

block_extent_map := hypervisor/block/extent_map.c
block_request_queue := $(addprefix hypervisor/,arch/host/machine.c \
	block/request_queue.c lib/heap.c)
block_blkif := $(block_rooms)
block_blkif_requests := $(block_guest)
block_blkif_rings := $(block_guest)
block_blkif_end := $(block_guest)
block_vbd := $(block_rooms)
block_dma_check := $(block_rooms)

include hypervisor/tests/hosted.mk
