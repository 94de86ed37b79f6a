/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hypervisor's boot options. One table says everything about an option:
 * name, kind, limits, default and help; the parser, the manual page
 * (docs/hypervisor-options.md) and the tests read that table.
 */
#ifndef HV_OPTIONS_H
#define HV_OPTIONS_H

#include <hv/types.h>

enum option_console { CONSOLE_COM1, CONSOLE_NONE };
/* After a panic, a boot error or the end of Domain 0: auto does what Domain 0
 * asked for and halts on errors; yes restarts the machine on errors too; no
 * halts where a restart would come. */
enum option_reboot { REBOOT_AUTO, REBOOT_YES, REBOOT_NO };

struct options {
	u64 console;        /* enum option_console */
	u64 dom0_mem_bytes; /* 0: all memory but a reserve */
	u64 dom0_max_vcpus; /* 0: one per CPU */
	u64 max_cpus;       /* 0: all */
	u64 sched;          /* index in the option's list of names */
	u64 slice_us;
	u64 log_level; /* enum log_level */
	u64 reboot;    /* enum option_reboot */
	u64 audit;     /* hypercalls between two checks of all counts;
			* 0: never */
};

enum option_kind {
	OPTION_CHOICE, /* one of names; the value is its index */
	OPTION_NUMBER,
	OPTION_SIZE, /* number with K, M or G; bytes without */
};

struct option {
	const char *name;
	enum option_kind kind;
	u16 offset; /* of the u64 in struct options */
	u64 least, most, initial;
	const char *names;        /* of a choice, separated by '|' */
	const char *initial_text; /* what the initial value means */
	const char *help;
};

extern const struct option option_table[];
extern const size_t option_count;

/* Sets every option to its initial value, then to what line says; the last
 * one of several wins. 0, or -EINVAL with a message naming the option, the
 * value and the limit that it breaks. */
int options_parse(struct options *o, const char *line, char *err,
		  size_t err_size) MUST_CHECK;

#endif
