// SPDX-License-Identifier: Apache-2.0
/* Prints docs/hypervisor-options.md from the table of options. */
#include <inttypes.h>
#include <stdio.h>

#include <hv/options.h>

static void print_limit(const struct option *opt, u64 limit)
{
	if (opt->kind == OPTION_SIZE && limit % (1UL << 30) == 0)
		printf("%" PRIu64 "G", limit >> 30);
	else if (opt->kind == OPTION_SIZE)
		printf("%" PRIu64 "M", limit >> 20);
	else
		printf("%" PRIu64, limit);
}

/* A '|' would end the table's cell. */
static void print_names(const char *names)
{
	for (; *names; names++)
		if (*names == '|')
			printf(", ");
		else
			putchar(*names);
}

int main(void)
{
	size_t i;

	printf("# Hypervisor boot options\n\n"
	       "Words of the hypervisor's own command line, separated by spaces. "
	       "Of one option given\ntwice the last counts; an unknown option or "
	       "a bad value stops the boot with a message\nthat names it. "
	       "This page is made from the table in `hypervisor/boot/"
	       "command_line.c`\nby `make options-page`.\n\n"
	       "| option | values | default | meaning |\n"
	       "|---|---|---|---|\n");
	for (i = 0; i < option_count; i++) {
		const struct option *opt = &option_table[i];

		printf("| `%s=` | ", opt->name);
		if (opt->kind == OPTION_CHOICE) {
			print_names(opt->names);
		} else {
			print_limit(opt, opt->least);
			printf(" to ");
			print_limit(opt, opt->most);
		}
		printf(" | %s | %s |\n", opt->initial_text, opt->help);
	}
	return 0;
}
