# SPDX-License-Identifier: Apache-2.0
# Domain 0's own programs: the library of rooms in dom0/xenoserverd/, the tool
# that is linked with it, their tests on the host, and the image that holds them.

ROOMS := dom0/xenoserverd
ROOMS_OUT := $(BUILD)/dom0
XENO_DOM := $(ROOMS_OUT)/xeno-dom
XENOSERVERD := $(ROOMS_OUT)/xenoserverd
XENOSERVERD_REST := $(ROOMS_OUT)/xenoserverd-rest
NODE_IMAGE := $(IMAGES)/dom0.cpio
NETBOOT := usr/lib/debian-installer/images/12/amd64/text/debian-installer/amd64
DEBIAN_GUEST := $(IMAGES)/debian-guest/root.img
GUEST_IMAGE := $(IMAGES)/guest.cpio
CLOUD_GUEST := $(IMAGES)/cloud-guest/initrd
INSTALLER := $(IMAGES)/installer/initrd
TINY_GUEST := $(IMAGES)/tiny

# The kernel file's parser and the layout are those that start Domain 0.
ROOMS_SHARED := $(addprefix hypervisor/boot/,kernel_image.c kernel_notes.c \
	decompress.c lz4.c guest_layout.c hypercall_page.c) hypervisor/lib/format.c
ROOMS_SOURCES := $(filter-out $(ROOMS)/tests/%,$(wildcard $(ROOMS)/*/*.c))
ROOMS_HEADERS := $(wildcard $(ROOMS)/*/*.h include/xeno/*.h \
	hypervisor/include/hv/*.h)

ROOMS_INCLUDES := -Iinclude -I$(ROOMS) -Ihypervisor/include \
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

ROOMS_OBJECTS := $(patsubst %.c,$(ROOMS_OUT)/%.o,$(ROOMS_SOURCES) \
	$(ROOMS_SHARED))

dom0: $(XENO_DOM) $(XENOSERVERD) $(XENOSERVERD_REST) ## Domain 0's programs

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
		$(ROOMS_OUT)/libxenoserverd.a
	$(say) LD $@
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -Wl,--as-needed -o $@ $^ \
		$(ROOMS_LIBS)

# The same with the REST API, and the libraries that it takes.
$(XENOSERVERD_REST): $(ROOMS_OUT)/dom0/tools/xenoserverd-rest.o \
		$(ROOMS_OUT)/libxenoserverd.a
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
		-Wl,-Ttext=0x100000 -o $@ $<

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
$(DEBIAN_GUEST): guests/debian/build-image $(BUILD)/deps/debian-guest.mk
	$(say) IMAGE $(@D)
	$(Q)$< $(@D) >$(BUILD)/debian-guest.log 2>&1 || \
		{ tail -n 20 $(BUILD)/debian-guest.log; false; }

debian-guest: $(DEBIAN_GUEST) ## a whole Debian as a guest's disk

.PHONY: dom0 node-image debian-guest

# ---- tests on the host ----

ROOMS_T := $(ROOMS)/tests
ROOMS_TESTS := domain_config builder device domain_nodes extents records \
	rule_parse leases domain_spec store admission orchestrate \
	pool guest_machine
ROOMS_TEST_CFLAGS := $(ROOMS_WARNINGS) -O1 -fsanitize=address,undefined \
	-fno-sanitize-recover=all $(ROOMS_INCLUDES)
ROOMS_UTIL := $(ROOMS)/util/error.c $(ROOMS)/util/log.c

ROOMS_domain_config_SOURCES := $(addprefix $(ROOMS)/,model/domain_config.c \
	network/vif_plan.c)
ROOMS_builder_SOURCES := $(wildcard $(ROOMS)/build/*.c) $(ROOMS_SHARED) \
	$(ROOMS_T)/fake/fake_hv.c
ROOMS_device_SOURCES := $(wildcard $(ROOMS)/xenstore/*device.c) \
	$(ROOMS_T)/fake/fake_hv.c $(ROOMS_T)/fake/fake_store.c
ROOMS_records_SOURCES := $(ROOMS)/serve/records.c
ROOMS_domain_nodes_SOURCES := $(ROOMS)/xenstore/domain_nodes.c \
	$(ROOMS_T)/fake/fake_store.c
ROOMS_extents_SOURCES := $(wildcard $(ROOMS)/storage/*.c) \
	$(addprefix $(ROOMS)/,model/domain_config.c console/console_ring.c)

ROOMS_rule_parse_SOURCES := $(ROOMS)/network/rule_parse.c
ROOMS_leases_SOURCES := $(ROOMS)/network/leases.c

ROOMS_SPEC := $(wildcard $(ROOMS)/model/*.c)
ROOMS_STORE := $(ROOMS_SPEC) $(wildcard $(ROOMS)/store/*.c) \
	$(addprefix $(ROOMS)/util/,ids.c digest.c strbuf.c)
ROOMS_domain_spec_SOURCES := $(ROOMS_SPEC) $(ROOMS)/util/strbuf.c
ROOMS_guest_machine_SOURCES := $(ROOMS_SPEC) $(addprefix $(ROOMS)/, \
	serve/guest_machine.c serve/reactor.c storage/pool.c util/strbuf.c)
ROOMS_guest_machine_LIBS := -lpthread
ROOMS_pool_SOURCES := $(ROOMS)/storage/pool.c
ROOMS_store_SOURCES := $(ROOMS_STORE)
ROOMS_store_LIBS := -lsqlite3 -lnettle
ROOMS_admission_SOURCES := $(ROOMS_SPEC) $(ROOMS)/util/strbuf.c $(ROOMS)/admission/admission.c
ROOMS_ORCHESTRATE := $(ROOMS_STORE) $(ROOMS)/admission/admission.c \
	$(wildcard $(ROOMS)/orchestrate/*.c) $(ROOMS_T)/fake/fake_machine.c
ROOMS_orchestrate_SOURCES := $(ROOMS_ORCHESTRATE)
ROOMS_orchestrate_LIBS := -lsqlite3 -lnettle -lpthread

ROOMS_builder_LIBS := -llzma -lz -lzstd

# The real service with a fake machine, asked over HTTP.
REST_SERVER := $(BUILD)/hosted/dom0/rest-server
REST_SOURCES := $(ROOMS_T)/rest/rest_server.c $(ROOMS_ORCHESTRATE) \
	$(wildcard $(ROOMS)/api/*.c)

$(REST_SERVER): $(REST_SOURCES) $(ROOMS_UTIL) $(ROOMS_HEADERS) \
		$(wildcard $(ROOMS_T)/*/*.h) api/openapi.yaml
	$(say) CC $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(ROOMS_TEST_CFLAGS) -o $@ $(filter %.c,$^) $(REST_LIBS) \
		-lpthread

rest-tests: $(REST_SERVER) ## the REST API, asked over HTTP
	cd $(ROOMS_T)/rest && PYTHONDONTWRITEBYTECODE=1 \
		REST_SERVER=$(abspath $(REST_SERVER)) \
		OPENAPI=$(abspath api/openapi.yaml) $(PYTHON) -m pytest -q \
		-p no:cacheprovider $(TESTS)

# It has the contract inside.
$(ROOMS_OUT)/$(ROOMS)/api/host.o: api/openapi.yaml

host-tests-dom0: $(ROOMS_TESTS:%=$(BUILD)/hosted/dom0/test_%) rest-tests
	@for t in $(filter-out rest-tests,$^); do echo "== $$t"; $$t || exit 1; done

fuzz-dom0: $(BUILD)/hosted/dom0/fuzz_domain_config \
		$(BUILD)/hosted/dom0/fuzz_rest_body
	@mkdir -p $(BUILD)/hosted/dom0/corpus $(BUILD)/hosted/dom0/corpus-rest
	$< -max_total_time=$(SECONDS) -timeout=10 -print_final_stats=1 \
		$(BUILD)/hosted/dom0/corpus
	$(lastword $^) -max_total_time=$(SECONDS) -timeout=10 \
		-print_final_stats=1 -dict=$(ROOMS_T)/fuzz/rest.dict \
		$(BUILD)/hosted/dom0/corpus-rest

# $(1) is the name of a test.
define rooms_test_rule
$(BUILD)/hosted/dom0/test_$(1): $(ROOMS_T)/unit/test_$(1).c \
		$(ROOMS_$(1)_SOURCES) $(ROOMS_UTIL) $(ROOMS_HEADERS) \
		$(wildcard $(ROOMS_T)/*/*.h)
	$$(say) CC $$@
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ROOMS_TEST_CFLAGS) -o $$@ $$(filter %.c,$$^) \
		$(ROOMS_$(1)_LIBS) -lcmocka
endef

$(foreach t,$(ROOMS_TESTS),$(eval $(call rooms_test_rule,$(t))))

$(BUILD)/hosted/dom0/fuzz_domain_config: \
		$(ROOMS_T)/fuzz/fuzz_domain_config.c \
		$(ROOMS_domain_config_SOURCES) $(ROOMS_UTIL) $(ROOMS_HEADERS)
	@mkdir -p $(@D)
	$(Q)clang $(ROOMS_TEST_CFLAGS) -fsanitize=fuzzer -o $@ $(filter %.c,$^)

$(BUILD)/hosted/dom0/fuzz_rest_body: $(ROOMS_T)/fuzz/fuzz_rest_body.c \
		$(addprefix $(ROOMS)/api/,json_read.c json_write.c problem.c) \
		$(ROOMS_STORE) $(ROOMS)/admission/admission.c $(ROOMS_UTIL) \
		$(ROOMS_HEADERS)
	@mkdir -p $(@D)
	$(Q)clang $(ROOMS_TEST_CFLAGS) -fsanitize=fuzzer -o $@ \
		$(filter %.c,$^) -ljansson -lsqlite3 -lnettle

.PHONY: host-tests-dom0 rest-tests fuzz-dom0
