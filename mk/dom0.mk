# SPDX-License-Identifier: Apache-2.0
# Domain 0's own programs: the library of rooms in dom0/xenoserverd/, the tool
# that is linked with it, their tests on the host, and the image that holds them.

ROOMS := dom0/xenoserverd
ROOMS_OUT := $(BUILD)/dom0
XENO_DOM := $(ROOMS_OUT)/xeno-dom
XENOSERVERD := $(ROOMS_OUT)/xenoserverd
NODE_IMAGE := $(IMAGES)/dom0.cpio
NETBOOT := usr/lib/debian-installer/images/12/amd64/text/debian-installer/amd64
DEBIAN_GUEST := $(IMAGES)/debian-guest/root.img
GUEST_IMAGE := $(IMAGES)/guest.cpio
CLOUD_GUEST := $(IMAGES)/cloud-guest/initrd
INSTALLER := $(IMAGES)/installer/initrd
TINY_GUEST := $(IMAGES)/tiny
VOLUMES_IMAGE := $(IMAGES)/volumes.cpio

# The kernel file's parser and the layout are those that start Domain 0.
ROOMS_SHARED := $(addprefix hypervisor/boot/,kernel_image.c kernel_notes.c \
	decompress.c lz4.c guest_layout.c hypercall_page.c) hypervisor/lib/format.c
ROOMS_SOURCES := $(filter-out $(ROOMS)/tests/%,$(wildcard $(ROOMS)/*/*.c))
ROOMS_HEADERS := $(wildcard $(ROOMS)/*/*.h include/xeno/*.h \
	hypervisor/include/hv/*.h)

ROOMS_INCLUDES := -Iinclude -I. -I$(ROOMS) -Ihypervisor/include \
	-Ihypervisor/arch/host/include
ROOMS_WARNINGS := -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing
ROOMS_CFLAGS := $(ROOMS_WARNINGS) -O2 -D_FORTIFY_SOURCE=2 \
	-fstack-protector-strong -fPIE $(ROOMS_INCLUDES)
ROOMS_LIBS := -lxenctrl -lxencall -lxenforeignmemory -lxenevtchn -lxengnttab \
	-lxenstore -llzma -lz -lzstd -lpthread
REST_LIBS := -lmicrohttpd -ljansson -lsqlite3 -lnettle

# Domains as libvirt's XML.
LIBVIRT_INCLUDES := -isystem /usr/include/libxml2
# Without ICU, see libvirt/library.c: a node has not the room for its tables.
LIBVIRT_LIBS := -l:libxml2.a -llzma -lz -lm
ROOMS_INCLUDES += $(LIBVIRT_INCLUDES)
ROOMS_CFLAGS += $(LIBVIRT_INCLUDES)
REST_LIBS += $(LIBVIRT_LIBS)

ROOMS_OBJECTS := $(patsubst %.c,$(ROOMS_OUT)/%.o,$(ROOMS_SOURCES) \
	$(ROOMS_SHARED))

dom0: $(XENO_DOM) $(XENOSERVERD) ## Domain 0's programs

$(ROOMS_OUT)/%.o: %.c $(ROOMS_HEADERS)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ROOMS_CFLAGS) -c -o $@ $<

$(ROOMS_OUT)/libxenoserverd.a: $(ROOMS_OBJECTS)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(XENO_DOM): $(ROOMS_OUT)/dom0/tools/xeno-dom.o $(ROOMS_OUT)/libxenoserverd.a
	$(say) LD $@
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -o $@ $^

$(XENOSERVERD): $(ROOMS_OUT)/dom0/tools/xenoserverd.o \
		$(ROOMS_OUT)/libxenoserverd.a $(BUILD)/accounting/libaccounting.a
	$(say) LD $@
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -Wl,--as-needed -o $@ $^ \
		$(ROOMS_LIBS) $(REST_LIBS)

$(GUEST_IMAGE): deploy/dom0/build-image $(wildcard deploy/guest/*) \
		$(PROGRAMS)/flush-check $(BUILD)/deps/dom0.mk \
		$(BUILD)/deps/kernel.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< guest $@ $(BUILD)/debian/dom0 $(BUILD)/debian/kernel \
		$(PROGRAMS)/flush-check

$(PROGRAMS)/flush-check: deploy/guest/flush-check.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(PROGRAM_CFLAGS) -o $@ $<

# Linked where it begins: addresses are offsets from the start of its memory.
$(TINY_GUEST): deploy/guest/tiny.S
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) -nostdlib -static -Wl,--build-id=none -Wl,-N \
		-Wl,--no-warn-rwx-segments -Wl,-Ttext-segment=0x100000 -o $@ $<

$(NODE_IMAGE): deploy/dom0/build-image $(wildcard deploy/dom0/*.sh) \
		$(wildcard deploy/dom0/jobs/*) $(XENO_DOM) $(XENOSERVERD) \
		$(PROGRAMS)/xeno-stat $(GUEST_IMAGE) $(TINY_GUEST) \
		$(VMLINUZ) $(BUILD)/deps/dom0.mk $(BUILD)/deps/kernel.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< dom0 $@ $(BUILD)/debian/dom0 $(BUILD)/debian/kernel \
		$(XENO_DOM) $(XENOSERVERD) $(PROGRAMS)/xeno-stat $(VMLINUZ) \
		$(GUEST_IMAGE) $(TINY_GUEST) \
		$(BUILD)/debian/dom0/usr/lib/grub-xen/grub-x86_64-xen.bin

node-image: $(NODE_IMAGE) ## Domain 0's image, with xenstore and xeno-dom

$(VOLUMES_IMAGE): deploy/dom0/build-image $(BUILD)/deps/volumes.mk \
		$(BUILD)/deps/kernel.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)$< volumes $@ $(BUILD)/debian/volumes $(BUILD)/debian/kernel

# Each initrd with its vmlinuz beside it.
$(CLOUD_GUEST): deploy/dom0/build-image $(wildcard deploy/guest/*) \
		$(BUILD)/deps/dom0.mk $(BUILD)/deps/cloud.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)cp $(BUILD)/debian/cloud/boot/vmlinuz-* $(@D)/vmlinuz
	$(Q)$< guest $@ $(BUILD)/debian/dom0 $(BUILD)/debian/cloud

$(INSTALLER): $(BUILD)/deps/installer.mk
	@mkdir -p $(@D)
	$(say) IMAGE $@
	$(Q)cp $(BUILD)/debian/installer/$(NETBOOT)/linux $(@D)/vmlinuz
	$(Q)cp $(BUILD)/debian/installer/$(NETBOOT)/initrd.gz $@

# Minutes, and a few hundred MiB from the mirror: it lasts until its recipe
# changes.
$(DEBIAN_GUEST): guests/debian/build-image | $(BUILD)/deps/debian-guest.mk
	$(say) IMAGE $(@D)
	$(Q)$< $(@D) >$(BUILD)/debian-guest.log 2>&1 || \
		{ tail -n 20 $(BUILD)/debian-guest.log; false; }

debian-guest: $(DEBIAN_GUEST) ## a whole Debian as a guest's disk

.PHONY: dom0 node-image debian-guest

# ---- tests on the host ----

SUITE := dom0

dom0_ROOT := $(ROOMS)/tests
dom0_TESTS := domain_config builder device domain_nodes extents records \
	rule_parse rule_policy rules leases domain_spec store admission \
	orchestrate pool guest_machine metering websocket console_log \
	images
dom0_FUZZ := domain_config rest_body websocket rule_document
dom0_LIBS := -llzma -lz -lzstd -ljansson -lsqlite3 -lnettle

dom0_fake := $(ROOMS)/tests/fake
dom0_util := $(wildcard $(ROOMS)/util/*.c)

dom0_fake_machine := $(addprefix $(dom0_fake)/,fake_machine.c fake_console.c \
	fake_network.c) $(addprefix $(ROOMS)/,console/console_log.c \
	network/rule_parse.c network/vif_plan.c)

dom0_domain_config := $(dom0_util) \
	$(addprefix $(ROOMS)/,model/domain_config.c network/vif_plan.c)
dom0_builder := $(dom0_util) $(wildcard $(ROOMS)/build/*.c) $(ROOMS_SHARED) \
	$(dom0_fake)/fake_hv.c
dom0_device := $(dom0_util) $(wildcard $(ROOMS)/xenstore/*device.c) \
	$(addprefix $(dom0_fake)/,fake_hv.c fake_store.c)
dom0_domain_nodes := $(dom0_util) $(ROOMS)/xenstore/domain_nodes.c \
	$(dom0_fake)/fake_store.c
dom0_extents := $(dom0_util) $(wildcard $(ROOMS)/storage/*.c) \
	$(addprefix $(ROOMS)/,model/domain_config.c console/console_ring.c \
	model/domain_spec.c model/violation.c)
dom0_records := $(dom0_util) $(ROOMS)/serve/records.c
dom0_rule_parse := $(dom0_util) $(ROOMS)/network/rule_parse.c
dom0_rule_policy := $(dom0_util) \
	$(addprefix $(ROOMS)/network/,rule_policy.c rule_parse.c)
dom0_rules := $(dom0_rule_policy) $(dom0_fake)/fake_hv.c \
	$(addprefix $(ROOMS)/serve/,rules.c rule_record.c)
dom0_leases := $(dom0_util) $(ROOMS)/network/leases.c
dom0_domain_spec := $(dom0_util) $(wildcard $(ROOMS)/model/*.c)
dom0_guest_machine := $(dom0_domain_spec) $(addprefix $(ROOMS)/, \
	serve/guest_machine.c serve/machine_consoles.c serve/machine_network.c \
	serve/reactor.c storage/pool.c console/console_log.c \
	console/watchers.c)
dom0_pool := $(dom0_util) $(ROOMS)/storage/pool.c
dom0_images := $(dom0_domain_spec) $(ROOMS)/storage/images.c
dom0_rule_document := $(dom0_domain_spec) $(addprefix $(ROOMS)/, \
	api/rule_document.c network/rule_parse.c)
dom0_websocket := $(dom0_util)
dom0_console_log := $(dom0_util) $(addprefix $(ROOMS)/console/, \
	console_log.c watchers.c)
dom0_store := $(dom0_domain_spec) $(wildcard $(ROOMS)/store/*.c accounting/*.c)
dom0_admission := $(dom0_domain_spec) $(ROOMS)/admission/admission.c
dom0_orchestrate := $(dom0_store) $(ROOMS)/admission/admission.c \
	$(wildcard $(ROOMS)/orchestrate/*.c $(ROOMS)/metering/*.c) $(dom0_fake_machine)
dom0_metering := $(dom0_orchestrate)
dom0_rest_body := $(dom0_store) $(ROOMS)/admission/admission.c \
	$(addprefix $(ROOMS)/api/,json_read.c json_write.c problem.c)
dom0_TESTS += domain_xml
dom0_FUZZ += domain_xml
dom0_LIBS += $(LIBVIRT_LIBS)
HOSTED_CPPFLAGS_dom0 += $(LIBVIRT_INCLUDES)
dom0_domain_xml := $(dom0_domain_spec) $(wildcard $(ROOMS)/libvirt/*.c)

# What they write is held against libvirt's own schema.
host-tests-dom0: export LIBVIRT_FILES := $(ROOMS)/tests/libvirt
host-tests-dom0: export LIBVIRT_SCHEMAS := \
	$(BUILD)/debian/check/usr/share/libvirt/schemas

include hypervisor/tests/hosted.mk

# The real service with a fake machine, asked over HTTP.
REST_SERVER := $(HOSTED_OUT)/dom0/rest-server
REST_OBJECTS := $(patsubst %.c,$(HOSTED_OBJ)/address/%.o, \
	$(wildcard $(ROOMS)/libvirt/*.c) \
	$(ROOMS)/tests/rest/rest_server.c $(dom0_orchestrate) \
	$(ROOMS)/storage/images.c \
	$(wildcard $(ROOMS)/api/*.c))

$(REST_SERVER): $(REST_OBJECTS)
	$(say) LD $@
	@mkdir -p $(@D)
	$(Q)$(HOSTED_CC_address) -o $@ $^ $(REST_LIBS) -lpthread

-include $(REST_OBJECTS:.o=.d)

rest-tests: $(REST_SERVER) $(BUILD)/accounting/xeno-ledger ## the REST API, asked over HTTP
	cd $(ROOMS)/tests/rest && PYTHONDONTWRITEBYTECODE=1 \
		REST_SERVER=$(abspath $(REST_SERVER)) \
		XENO_LEDGER=$(abspath $(XENO_LEDGER)) \
		OPENAPI=$(abspath api/openapi.yaml) $(PYTHON) -m pytest -q \
		-p no:cacheprovider $(TESTS)

# The same of the bill only, with the service killed N times.
N ?= 100
kill-points: export KILL_POINTS := $(N)
kill-points: ## the service killed N=100 times: bills stay exact
	$(Q)$(MAKE) --no-print-directory rest-tests \
		TESTS="test_kill_points.py -s"

# It has the contract inside.
$(ROOMS_OUT)/$(ROOMS)/api/host.o $(HOSTED_OBJ)/address/$(ROOMS)/api/host.o: \
	api/openapi.yaml

.PHONY: rest-tests kill-points
