# SPDX-License-Identifier: Apache-2.0
# The library of accounts: tariffs, rating, ledger, statements. Its tests on the
# host, and what a row of the ledger costs. Run through the main Makefile.

ACCT := accounting
ACCT_OUT := $(BUILD)/accounting
ACCT_LIB := $(ACCT_OUT)/libaccounting.a
# What a program linked with it needs besides.
ACCT_LIBS := -lsqlite3 -lnettle

ACCT_SOURCES := $(wildcard $(ACCT)/*.c)
ACCT_HEADERS := $(wildcard $(ACCT)/*.h $(ACCT)/tests/*.h)
ACCT_WARNINGS := -std=gnu11 -g -Wall -Wextra -Werror -Wshadow \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wundef -Wpointer-arith -Wwrite-strings -Wimplicit-fallthrough
ACCT_CFLAGS := $(ACCT_WARNINGS) -O2 -D_FORTIFY_SOURCE=2 \
	-fstack-protector-strong -fPIE
ACCT_TEST_CFLAGS := $(ACCT_WARNINGS) -D_GNU_SOURCE -O1 \
	-fsanitize=address,undefined -fno-sanitize-recover=all -I$(ACCT)

ACCT_TESTS := window usage tariff rating ledger store statement tamper crash \
	documented
ACCT_FUZZ := rating rows

XENO_LEDGER := $(ACCT_OUT)/xeno-ledger

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
	$(Q)$(CC) $(ACCT_CFLAGS) -I. -pie -Wl,-z,relro,-z,now -o $@ $^ \
		$(ACCT_LIBS)

# ---- tests ----

ACCT_T := $(BUILD)/hosted/accounting

host-tests-accounting: $(ACCT_TESTS:%=$(ACCT_T)/test_%) $(ACCT_T)/xeno-ledger
	@for t in $(filter-out %/xeno-ledger,$^); do echo "== $$t"; \
		XENO_LEDGER=$(ACCT_T)/xeno-ledger $$t || exit 1; done

$(ACCT_T)/xeno-ledger: dom0/tools/xeno-ledger.c $(ACCT_T)/libaccounting.a
	$(say) CC $@
	$(Q)$(CC) $(ACCT_TEST_CFLAGS) -I. -o $@ $^ $(ACCT_LIBS)

$(ACCT_T)/%.o: %.c $(ACCT_HEADERS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ACCT_TEST_CFLAGS) -c -o $@ $<

$(ACCT_T)/libaccounting.a: $(ACCT_SOURCES:%.c=$(ACCT_T)/%.o) \
		$(ACCT_T)/$(ACCT)/tests/world.o
	@rm -f $@
	$(Q)ar rcs $@ $^

$(ACCT_TESTS:%=$(ACCT_T)/test_%): $(ACCT_T)/test_%: \
		$(ACCT_T)/$(ACCT)/tests/test_%.o $(ACCT_T)/libaccounting.a
	$(say) LD $@
	$(Q)$(CC) $(ACCT_TEST_CFLAGS) -o $@ $^ $(ACCT_LIBS) -lcmocka

# ---- fuzzing: here an unsigned wrap is a mistake too ----

fuzz-accounting: $(ACCT_FUZZ:%=$(ACCT_T)/fuzz_%)
	@for t in $(ACCT_FUZZ); do \
		mkdir -p $(ACCT_T)/corpus-$$t; \
		$(ACCT_T)/fuzz_$$t -max_total_time=$(SECONDS) -timeout=10 \
			-max_len=512 -len_control=0 -print_final_stats=1 \
			-artifact_prefix=$(ACCT_T)/ $(ACCT_T)/corpus-$$t || \
			exit 1; \
	done

$(ACCT_FUZZ:%=$(ACCT_T)/fuzz_%): $(ACCT_T)/fuzz_%: $(ACCT)/tests/fuzz_%.c \
		$(ACCT_SOURCES) $(ACCT_HEADERS)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)clang $(ACCT_TEST_CFLAGS) \
		-fsanitize=fuzzer,unsigned-integer-overflow -o $@ \
		$(filter %.c,$^) $(ACCT_LIBS)

# ---- what a row costs ----

bench-accounting: $(ACCT_OUT)/ledger-cost ## the cost of a row of the ledger
	$< $(ACCT_OUT)/cost.db

$(ACCT_OUT)/ledger-cost: $(ACCT)/tests/ledger_cost.c $(ACCT_LIB)
	$(say) CC $@
	$(Q)$(CC) $(ACCT_CFLAGS) -I$(ACCT) -pie -o $@ $^ $(ACCT_LIBS)

.PHONY: accounting host-tests-accounting fuzz-accounting bench-accounting
