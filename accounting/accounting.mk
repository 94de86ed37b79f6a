# SPDX-License-Identifier: Apache-2.0
# The library of accounts: tariffs, rating, ledger, statements; the tool that
# reads a ledger's file; their tests on the host; what a row of the ledger costs.

ACCT := accounting
ACCT_OUT := $(BUILD)/accounting
ACCT_LIB := $(ACCT_OUT)/libaccounting.a
# What a program linked with it needs besides.
ACCT_LIBS := -lsqlite3 -lnettle
XENO_LEDGER := $(ACCT_OUT)/xeno-ledger

ACCT_SOURCES := $(wildcard $(ACCT)/*.c)
ACCT_HEADERS := $(wildcard $(ACCT)/*.h)
ACCT_CFLAGS := -std=gnu11 -g -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough \
	-O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
ACCT_LDFLAGS := -pie -Wl,-z,relro,-z,now

accounting: $(ACCT_LIB) $(XENO_LEDGER) ## the library of tariffs, ledger, statements

$(ACCT_OUT)/%.o: %.c $(ACCT_HEADERS)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ACCT_CFLAGS) -c -o $@ $<

$(ACCT_LIB): $(ACCT_SOURCES:%.c=$(ACCT_OUT)/%.o)
	@rm -f $@
	$(Q)ar rcs $@ $^

$(XENO_LEDGER): dom0/tools/xeno-ledger.c $(ACCT_LIB)
	$(say) CC $@
	$(Q)$(CC) $(ACCT_CFLAGS) $(ACCT_LDFLAGS) -I. -o $@ $^ $(ACCT_LIBS)

bench-accounting: $(ACCT_OUT)/ledger-cost ## the cost of a row of the ledger
	$< $(ACCT_OUT)/cost.db

$(ACCT_OUT)/ledger-cost: $(ACCT)/tests/ledger_cost.c $(ACCT_LIB)
	$(say) CC $@
	$(Q)$(CC) $(ACCT_CFLAGS) $(ACCT_LDFLAGS) -I$(ACCT) -o $@ $^ $(ACCT_LIBS)

.PHONY: accounting bench-accounting

# ---- tests on the host ----

SUITE := accounting

accounting_ROOT := $(ACCT)/tests
accounting_TESTS := window usage tariff rating ledger store statement tamper \
	crash documented
accounting_FUZZ := cuts rows
accounting_FUZZ_FLAGS := -max_len=512 -len_control=0
accounting_LIBS := $(ACCT_LIBS)

HOSTED_CPPFLAGS_accounting := -D_GNU_SOURCE -I$(ACCT) -I$(ACCT)/tests

# Of all files: the tests of one part use others to see what it did.
$(foreach t,$(accounting_TESTS),$(eval accounting_$(t) := $(ACCT_SOURCES) \
	$(ACCT)/tests/world.c))
$(foreach t,$(accounting_FUZZ),$(eval accounting_$(t) := $(ACCT_SOURCES)))

$(BUILD)/hosted/accounting/test_documented: | $(XENO_LEDGER)
host-tests-accounting: export XENO_LEDGER := $(XENO_LEDGER)

include hypervisor/tests/hosted.mk
