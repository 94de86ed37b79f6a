# SPDX-License-Identifier: Apache-2.0
# How hosted tests and fuzz targets are made and run. Each source is compiled
# once per flavour, whoever uses it, into $(BUILD)/hosted/obj/FLAVOUR/PATH.o,
# and programs are linked from these objects.
#
# A suite is a makefile that sets SUITE and, SUITE being NAME, these lists, and
# then includes this file:
#
#   NAME_TESTS       T: unit/test_T.c, with the sanitizers of addresses and of
#                    undefined behaviour
#   NAME_RACES       T: unit/test_T.c, with the thread sanitizer
#   NAME_FUZZ        T: fuzz/fuzz_T.c; inputs to begin with in fuzz/corpus/T/,
#                    words to use in fuzz/T.dict
#   NAME_T           what T consists of besides
#   NAME_LIBS        libraries besides cmocka
#   NAME_ROOT        where unit/ and fuzz/ are, if not in hypervisor/tests
#   NAME_THREAD      flavour of the races, if not `thread`
#   NAME_FUZZ_FLAGS  options of libFuzzer
#
# It then has these targets, also by itself, run from the top directory:
#
#   make -f hypervisor/tests/NAME-tests.mk host-tests-NAME
#   make -f hypervisor/tests/NAME-tests.mk fuzz-targets-NAME
#   make -f hypervisor/tests/NAME-tests.mk fuzz-NAME SECONDS=60
#   make -f hypervisor/tests/NAME-tests.mk not-hosted

ifndef HOSTED_OUT

include mk/common.mk

SECONDS ?= 60
HOSTED_OUT := $(BUILD)/hosted
HOSTED_OBJ := $(HOSTED_OUT)/obj
# Of all suites so far: files of dependencies, and sources that are not tests.
HOSTED_DEPS :=
HOSTED_SOURCES :=

HOSTED_CFLAGS := -std=gnu11 -g -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-fno-strict-aliasing

# By the first folder of a source's path.
HOSTED_CPPFLAGS_hypervisor := -DXENO_DEBUG \
	-D__XEN_INTERFACE_VERSION__=0x00040e00 -D__XEN_TOOLS__ \
	-Iinclude -Ihypervisor/include -Ihypervisor/arch/host/include
HOSTED_CPPFLAGS_dom0 := -D_GNU_SOURCE -Iinclude -Idom0/xenoserverd \
	-Ihypervisor/include -Ihypervisor/arch/host/include

HOSTED_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
HOSTED_FLAVOURS := address thread volatile fuzz
HOSTED_CC_address = $(CC) -O1 $(HOSTED_SANITIZE)
HOSTED_CC_thread = $(CC) -O1 -fsanitize=thread
# Tells volatile accesses from plain ones, which gcc alone can.
HOSTED_CC_volatile := gcc -O1 -fsanitize=thread \
	--param=tsan-distinguish-volatile=1
HOSTED_CC_fuzz := clang -O2 $(HOSTED_SANITIZE) -fsanitize=fuzzer

# $(1): a flavour.
define hosted_flavour
$(HOSTED_OBJ)/$(1)/%.o: %.c hypervisor/tests/hosted.mk
	$$(say) CC '$$< ($(1))'
	@mkdir -p $$(@D)
	$$(Q)$$(HOSTED_CC_$(1)) $$(HOSTED_CFLAGS) \
		$$(HOSTED_CPPFLAGS_$$(firstword $$(subst /, ,$$<))) \
		-MMD -MP -c -o $$@ $$<
endef

$(foreach f,$(HOSTED_FLAVOURS),$(eval $(call hosted_flavour,$(f))))

# $(1): a suite, $(2): what is tested, $(3): kind of the program, $(4): of its
# source, $(5): its flavour, $(6): a library it needs.
define hosted_program
$(HOSTED_OUT)/$(1)/$(3)_$(2): $(patsubst %.c,$(HOSTED_OBJ)/$(5)/%.o, \
		$($(1)_ROOT)/$(4)_$(2).c $($(1)_$(2)))
	$$(say) LD $$@
	@mkdir -p $$(@D)
	$$(Q)$$(HOSTED_CC_$(5)) -o $$@ $$^ $($(1)_LIBS) $(6) -lpthread

HOSTED_DEPS += $(patsubst %.c,$(HOSTED_OBJ)/$(5)/%.d, \
	$($(1)_ROOT)/$(4)_$(2).c $($(1)_$(2)))
endef

# The same, $(2) being a list.
hosted_programs = $(foreach t,$(2),$(eval \
	$(call hosted_program,$(1),$(t),$(3),$(4),$(5),$(6))))

# $(1): a suite. What its tests make the hypervisor report is of interest only
# when one fails.
define hosted_targets
host-tests-$(1): $($(1)_TESTS:%=$(HOSTED_OUT)/$(1)/test_%) \
		$($(1)_RACES:%=$(HOSTED_OUT)/$(1)/race_%)
	@for t in $$^; do \
		echo "== $$$$t"; \
		$$$$t 2>$$$$t.log || { cat $$$$t.log; exit 1; }; \
	done

fuzz-targets-$(1): $($(1)_FUZZ:%=$(HOSTED_OUT)/$(1)/fuzz_%)

fuzz-$(1): fuzz-targets-$(1)
	@for t in $($(1)_FUZZ); do \
		mkdir -p $(HOSTED_OUT)/$(1)/corpus-$$$$t; \
		$(HOSTED_OUT)/$(1)/fuzz_$$$$t -max_total_time=$$(SECONDS) \
			-rss_limit_mb=4096 -timeout=10 -print_final_stats=1 \
			$($(1)_FUZZ_FLAGS) \
			$$$$(d=$($(1)_ROOT)/fuzz/$$$$t.dict; \
				[ ! -f $$$$d ] || echo -dict=$$$$d) \
			-artifact_prefix=$(HOSTED_OUT)/$(1)/ \
			$(HOSTED_OUT)/$(1)/corpus-$$$$t \
			$$$$(ls -d $($(1)_ROOT)/fuzz/corpus/$$$$t 2>/dev/null) \
			|| exit 1; \
	done

.PHONY: host-tests-$(1) fuzz-targets-$(1) fuzz-$(1)
endef

endif

$(SUITE)_ROOT ?= hypervisor/tests
$(SUITE)_THREAD ?= thread

$(eval $(call hosted_targets,$(SUITE)))
$(call hosted_programs,$(SUITE),$($(SUITE)_TESTS),test,unit/test,address,-lcmocka)
$(call hosted_programs,$(SUITE),$($(SUITE)_RACES),race,unit/test,$($(SUITE)_THREAD),-lcmocka)
$(call hosted_programs,$(SUITE),$($(SUITE)_FUZZ),fuzz,fuzz/fuzz,fuzz)

HOSTED_SOURCES += $(foreach t,$($(SUITE)_TESTS) $($(SUITE)_RACES), \
	$($(SUITE)_$(t)))

-include $(filter-out $(HOSTED_READ),$(sort $(HOSTED_DEPS)))
HOSTED_READ := $(sort $(HOSTED_DEPS))

ifndef HOSTED_ASKED
HOSTED_ASKED := 1

# The sources, besides tests, of the suites at hand.
hosted-sources:
	@printf '%s\n' $(sort $(HOSTED_SOURCES))

# Files of the hypervisor, but for those of the real machine, that no suite
# tests. Asks each suite, for it may be that only one is at hand.
not-hosted:
	@find hypervisor -name '*.c' ! -path '*/tests/*' \
		! -path '*/arch/x86_64/*' | sort | grep -vxFf <( \
		for f in hypervisor/tests/*-tests.mk; do \
			$(MAKE) -s -f $$f hosted-sources; \
		done)

.PHONY: hosted-sources not-hosted

endif
