# SPDX-License-Identifier: Apache-2.0
# The command xeno, with its completion file and manual page, which it prints
# itself; and its tests: the pure parts alone, all of it against the REST service.

CLI := dom0/cli
CLI_OUT := $(BUILD)/cli
XENO_CLI := $(CLI_OUT)/xeno
CLI_SOURCES := $(wildcard $(CLI)/*.c) $(ROOMS)/util/strbuf.c
CLI_HEADERS := $(wildcard $(CLI)/*.h) $(ROOMS)/util/strbuf.h
CLI_LIBS := -lcurl -ljansson -lnettle

cli: $(XENO_CLI) $(CLI_OUT)/xeno.bash $(CLI_OUT)/xeno.1 ## the command xeno, its completion and manual

$(CLI_OUT)/%.o: %.c $(CLI_HEADERS)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(ROOMS_CFLAGS) -c -o $@ $<

$(XENO_CLI): $(CLI_SOURCES:%.c=$(CLI_OUT)/%.o)
	$(say) LD $@
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -Wl,--as-needed -o $@ $^ $(CLI_LIBS)

$(CLI_OUT)/xeno.bash: $(XENO_CLI)
	$(Q)$< completion > $@

$(CLI_OUT)/xeno.1: $(XENO_CLI)
	$(Q)$< manual > $@

# ---- tests ----

SUITE := cli

cli_ROOT := $(CLI)/tests
cli_TESTS := size output request sse frame
cli_FUZZ := cli
cli_LIBS := -ljansson

cli_size := $(addprefix $(CLI)/,size.c parts.c)
cli_output := $(addprefix $(CLI)/,output.c columns.c table.c csv.c yaml.c \
	size.c) $(ROOMS)/util/strbuf.c
cli_request := $(addprefix $(CLI)/,request.c curl_line.c) \
	$(ROOMS)/util/strbuf.c
cli_sse := $(CLI)/sse.c $(ROOMS)/util/strbuf.c
cli_frame := $(CLI)/frame.c $(ROOMS)/util/strbuf.c
cli_cli := $(cli_output) $(addprefix $(CLI)/,sse.c parts.c frame.c)

include hypervisor/tests/hosted.mk

cli-tests: $(BUILD)/accounting/xeno-ledger $(XENO_CLI) $(CLI_OUT)/xeno.bash $(CLI_OUT)/xeno.1 $(REST_SERVER) ## xeno against the REST service
	cd $(CLI)/tests && PYTHONDONTWRITEBYTECODE=1 \
		XENO=$(abspath $(XENO_CLI)) \
		REST_SERVER=$(abspath $(REST_SERVER)) \
		XENO_LEDGER=$(abspath $(XENO_LEDGER)) \
		OPENAPI=$(abspath api/openapi.yaml) \
		BUILD=$(abspath $(BUILD)) $(PYTHON) -m pytest -q \
		-p no:cacheprovider $(TESTS)

.PHONY: cli cli-tests
