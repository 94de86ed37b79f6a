// SPDX-License-Identifier: Apache-2.0
/*
 * Boot options: the table and its parser. Words are separated by spaces; each
 * is NAME=VALUE, or the bare form noNAME for a choice that offers "no". What
 * is not in the table is an error, so that a misspelt option is noticed.
 */
#include <hv/errno.h>
#include <hv/format.h>
#include <hv/options.h>
#include <hv/string.h>

#define KIB 1024UL
#define MIB (1024UL * KIB)
#define GIB (1024UL * MIB)
#define TIB (1024UL * GIB)

#define TARGET(member) ((u16)offsetof(struct options, member))

const struct option option_table[] = {
	{ "console", OPTION_CHOICE, TARGET(console), 0, 1, CONSOLE_COM1,
	  "com1|none", "com1",
	  "Where messages of the hypervisor and Domain 0's console go: the first serial port, or nowhere." },
	{ "dom0_mem", OPTION_SIZE, TARGET(dom0_mem_bytes), 64 * MIB, 16 * TIB,
	  0, NULL, "all memory but a reserve",
	  "Memory of Domain 0. More than there is means all but the reserve." },
	{ "dom0_max_vcpus", OPTION_NUMBER, TARGET(dom0_max_vcpus), 1, 32, 0,
	  NULL, "one per CPU", "Number of vCPUs of Domain 0." },
	{ "maxcpus", OPTION_NUMBER, TARGET(max_cpus), 1, 64, 0, NULL, "all",
	  "Number of CPUs used." },
	{ "sched", OPTION_CHOICE, TARGET(sched), 0, 0, 0, "bvt", "bvt",
	  "CPU scheduling policy: borrowed virtual time." },
	{ "slice_us", OPTION_NUMBER, TARGET(slice_us), 100, 1000000, 5000, NULL,
	  "5000",
	  "Shortest time in microseconds that a vCPU keeps its CPU while others of equal right wait." },
	{ "loglvl", OPTION_CHOICE, TARGET(log_level), 0, 3, 2,
	  "error|warn|info|debug", "info",
	  "Least important messages printed; debug exists in debug builds only." },
	{ "reboot", OPTION_CHOICE, TARGET(reboot), 0, 2, REBOOT_AUTO,
	  "auto|yes|no", "auto",
	  "After a panic, a boot error or the end of Domain 0: auto does what Domain 0 asked for and halts on errors, yes restarts the machine on errors too, no (or the word noreboot) halts where a restart would come." },
	{ "audit", OPTION_NUMBER, TARGET(audit), 0, 1000000000, 0, NULL,
	  "0 (never)",
	  "Debug builds: check all reference counts every so many hypercalls." },
};

const size_t option_count = ARRAY_SIZE(option_table);

/* One word of the line, not terminated. */
struct word {
	const char *text;
	size_t len;
};

#define SHOWN_BYTES 65

/* The word as a string for messages, cut to a length that fits. */
static const char *shown(char buf[SHOWN_BYTES], const struct word *w)
{
	size_t len = MIN(w->len, (size_t)SHOWN_BYTES - 1);

	if (len)
		memcpy(buf, w->text, len);
	buf[len] = '\0';
	return buf;
}

static bool word_is(const struct word *w, const char *name, size_t name_len)
{
	return w->len == name_len && memcmp(w->text, name, name_len) == 0;
}

/* Index of w in names ("a|b|c"), or -1. */
static int choice_index(const char *names, const struct word *w)
{
	int idx = 0;

	for (;;) {
		const char *end = strchr(names, '|');
		size_t len = end ? (size_t)(end - names) : strlen(names);

		if (word_is(w, names, len))
			return idx;
		if (!end)
			return -1;
		names = end + 1;
		idx++;
	}
}

/* Decimal or 0x number; false: not one, or it needs more than 64 bits. */
static bool parse_number(const struct word *w, u64 *out)
{
	size_t i = 0;
	u64 value = 0;
	u64 base = 10;

	if (w->len > 2 && w->text[0] == '0' && w->text[1] == 'x') {
		base = 16;
		i = 2;
	}
	if (i == w->len)
		return false;
	for (; i < w->len; i++) {
		char c = w->text[i];
		u64 digit;

		if (c >= '0' && c <= '9')
			digit = (u64)(c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			digit = (u64)(c - 'a') + 10;
		else if (base == 16 && c >= 'A' && c <= 'F')
			digit = (u64)(c - 'A') + 10;
		else
			return false;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return true;
}

static bool parse_size(const struct word *w, u64 *out)
{
	struct word number = *w;
	u64 unit = 1;

	if (w->len) {
		switch (w->text[w->len - 1]) {
		case 'k':
		case 'K':
			unit = KIB;
			break;
		case 'm':
		case 'M':
			unit = MIB;
			break;
		case 'g':
		case 'G':
			unit = GIB;
			break;
		default:
			break;
		}
	}
	if (unit != 1)
		number.len--;
	return parse_number(&number, out) &&
	       !__builtin_mul_overflow(*out, unit, out);
}

/* A limit in the unit in which people give it. */
static void format_limit(char *buf, size_t size, const struct option *opt,
			 u64 limit)
{
	if (opt->kind == OPTION_SIZE && limit % GIB == 0)
		hv_snprintf(buf, size, "%luG", limit / GIB);
	else if (opt->kind == OPTION_SIZE && limit % MIB == 0)
		hv_snprintf(buf, size, "%luM", limit / MIB);
	else
		hv_snprintf(buf, size, "%lu", limit);
}

static int set_option(struct options *o, const struct option *opt,
		      const struct word *value, char *err, size_t err_size)
{
	char text[SHOWN_BYTES];
	char limit[24];
	u64 number;
	bool ok;

	if (opt->kind == OPTION_CHOICE) {
		int idx = choice_index(opt->names, value);

		if (idx < 0) {
			hv_snprintf(err, err_size,
				    "option %s=%s: not one of %s", opt->name,
				    shown(text, value), opt->names);
			return -EINVAL;
		}
		*(u64 *)((char *)o + opt->offset) = (u64)idx;
		return 0;
	}
	ok = opt->kind == OPTION_SIZE ? parse_size(value, &number)
				      : parse_number(value, &number);
	if (!ok) {
		hv_snprintf(err, err_size, "option %s=%s: not a %s", opt->name,
			    shown(text, value),
			    opt->kind == OPTION_SIZE ? "size" : "number");
		return -EINVAL;
	}
	if (number < opt->least || number > opt->most) {
		bool below = number < opt->least;

		format_limit(limit, sizeof(limit), opt,
			     below ? opt->least : opt->most);
		hv_snprintf(err, err_size, "option %s=%s: %s value %s",
			    opt->name, shown(text, value),
			    below ? "below the least" : "above the greatest",
			    limit);
		return -EINVAL;
	}
	*(u64 *)((char *)o + opt->offset) = number;
	return 0;
}

static const struct option *find_option(const struct word *name)
{
	size_t i;

	for (i = 0; i < option_count; i++)
		if (word_is(name, option_table[i].name,
			    strlen(option_table[i].name)))
			return &option_table[i];
	return NULL;
}

/* The option whose negation w is (noNAME), or NULL. */
static const struct option *find_negated(const struct word *w,
					 const struct word *no)
{
	struct word rest = { w->text + 2, w->len - 2 };
	const struct option *opt;

	if (w->len <= 2 || memcmp(w->text, "no", 2) != 0)
		return NULL;
	opt = find_option(&rest);
	if (!opt || opt->kind != OPTION_CHOICE ||
	    choice_index(opt->names, no) < 0)
		return NULL;
	return opt;
}

static int parse_word(struct options *o, const struct word *w, char *err,
		      size_t err_size)
{
	static const struct word no = { "no", 2 };
	const char *equals = memchr(w->text, '=', w->len);
	const struct option *opt;
	struct word name = *w;
	struct word value = { NULL, 0 };
	char text[SHOWN_BYTES];

	if (!equals) {
		opt = find_negated(w, &no);
		if (opt)
			return set_option(o, opt, &no, err, err_size);
	} else {
		name.len = (size_t)(equals - w->text);
		value.text = equals + 1;
		value.len = w->len - name.len - 1;
	}
	opt = find_option(&name);
	if (!opt) {
		hv_snprintf(err, err_size, "option %s: unknown",
			    shown(text, &name));
		return -EINVAL;
	}
	if (!equals) {
		hv_snprintf(err, err_size, "option %s: needs a value",
			    opt->name);
		return -EINVAL;
	}
	return set_option(o, opt, &value, err, err_size);
}

int options_parse(struct options *o, const char *line, char *err,
		  size_t err_size)
{
	size_t i;

	for (i = 0; i < option_count; i++)
		*(u64 *)((char *)o + option_table[i].offset) =
			option_table[i].initial;
	for (;;) {
		struct word w = { line, 0 };
		int rc;

		while (*w.text == ' ' || *w.text == '\t')
			w.text++;
		if (*w.text == '\0')
			return 0;
		while (w.text[w.len] != '\0' && w.text[w.len] != ' ' &&
		       w.text[w.len] != '\t')
			w.len++;
		rc = parse_word(o, &w, err, err_size);
		if (rc)
			return rc;
		line = w.text + w.len;
	}
}
