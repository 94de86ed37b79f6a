// SPDX-License-Identifier: Apache-2.0
/* See domain_config.h. A key is a row of the table below. */
#include "model/domain_config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 1200

#define MIB (1ULL << 20)
#define MEMORY_LEAST (1 * MIB)
#define MEMORY_MOST (1ULL << 42)
#define WEIGHT_MOST 65535
#define CAP_MOST 64000

static bool parse_number(const char *text, uint64_t most, uint64_t *out)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value > most)
			return false;
	}
	*out = value;
	return true;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMG";
	size_t length = strlen(text);
	const char *unit;
	char digits[24];
	uint64_t value;

	if (length < 2 || length >= sizeof(digits))
		return false;
	unit = strchr(units, toupper((unsigned char)text[length - 1]));
	if (!unit || !*unit)
		return false;
	memcpy(digits, text, length - 1);
	digits[length - 1] = '\0';
	if (!parse_number(digits, MEMORY_MOST, &value))
		return false;
	return !__builtin_mul_overflow(value, 1ULL << (10 * (unit - units + 1)),
				       bytes);
}

bool parse_mac(const char *text, uint8_t mac[6])
{
	for (int i = 0; i < 6; i++) {
		unsigned int value = 0;

		for (int digit = 0; digit < 2; digit++, text++) {
			if (!isxdigit((unsigned char)*text))
				return false;
			value = value * 16 +
				(unsigned int)(isdigit((unsigned char)*text)
						       ? *text - '0'
						       : (*text | 0x20) - 'a' +
								 10);
		}
		mac[i] = (uint8_t)value;
		if (*text++ != (i < 5 ? ':' : '\0'))
			return false;
	}
	return true;
}

/* xvdX is disk X of major 202, 16 partitions each. */
uint32_t disk_number(const char *device)
{
	uint64_t partition = 0;

	if (strncmp(device, "xvd", 3) != 0 || device[3] < 'a' ||
	    device[3] > 'p')
		return 0;
	if (device[4] &&
	    (device[4] == '0' || !parse_number(device + 4, 15, &partition)))
		return 0;
	return (202U << 8) + (uint32_t)(device[3] - 'a') * 16 +
	       (uint32_t)partition;
}

/* The next word of *text, cut out of it; NULL: no more. */
static char *word(char **text)
{
	char *w;

	do
		w = strsep(text, " \t");
	while (w && !*w);
	return w;
}

struct key {
	const char *name;
	/* What is wrong with the value, or NULL. */
	const char *(*read)(struct domain_config *c, const struct key *k,
			    char *value);
	size_t offset, size;
	uint64_t least, most;
};

static const char *read_text(struct domain_config *c, const struct key *k,
			     char *value)
{
	size_t length = strlen(value);

	if (length >= k->size)
		return "too long";
	memcpy((char *)c + k->offset, value, length + 1);
	return NULL;
}

static const char *read_name(struct domain_config *c, const struct key *k,
			     char *value)
{
	for (const char *p = value; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			return "letters, digits, . _ - only";
	if (!isalnum((unsigned char)*value))
		return "must start with a letter or digit";
	return read_text(c, k, value);
}

static const char *read_size(struct domain_config *c, const struct key *k,
			     char *value)
{
	uint64_t bytes;

	if (!parse_size(value, &bytes) || bytes < k->least || bytes > k->most)
		return "no size, or out of range";
	memcpy((char *)c + k->offset, &bytes, sizeof(bytes));
	return NULL;
}

static const char *read_number(struct domain_config *c, const struct key *k,
			       char *value)
{
	uint64_t number;
	uint32_t narrow;

	if (!parse_number(value, k->most, &number) || number < k->least)
		return "no number, or out of range";
	narrow = (uint32_t)number;
	memcpy((char *)c + k->offset, &narrow, sizeof(narrow));
	return NULL;
}

static const char *read_action(struct domain_config *c, const struct key *k,
			       char *value)
{
	static const char *const words[] = {
		[END_DESTROY] = "destroy",
		[END_RESTART] = "restart",
		[END_PRESERVE] = "preserve",
	};

	for (unsigned int i = 0; i < sizeof(words) / sizeof(*words); i++) {
		enum end_action action = i;

		if (strcmp(value, words[i]) != 0)
			continue;
		memcpy((char *)c + k->offset, &action, sizeof(action));
		return NULL;
	}
	return "destroy, restart or preserve";
}

static const char *read_source(struct disk_config *d, const char *text)
{
	static const struct {
		const char *prefix;
		enum disk_kind kind;
	} kinds[] = {
		{ "disk:", DISK_WHOLE },
		{ "partition:", DISK_PARTITION },
		{ "volume:", DISK_VOLUME },
		{ "file:", DISK_FILE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		size_t length = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, length) != 0)
			continue;
		d->kind = kinds[i].kind;
		text += length;
		if (!*text || strlen(text) >= sizeof(d->source))
			return "the source is empty or too long";
		memcpy(d->source, text, strlen(text) + 1);
		return NULL;
	}
	return "source disk:, partition:, volume: or file:";
}

static const char *read_disk(struct domain_config *c, const struct key *k,
			     char *value)
{
	struct disk_config *d = &c->disks[c->disk_count];
	const char *device = word(&value);
	const char *mode = word(&value);
	const char *source = word(&value);
	const char *wrong;

	(void)k;
	if (c->disk_count == CONFIG_DISKS_MAX)
		return "too many";
	if (!source || word(&value))
		return "three words: DEVICE MODE SOURCE";
	memset(d, 0, sizeof(*d));
	d->number = disk_number(device);
	if (!d->number)
		return "no such device: xvda to xvdp, xvda1 to xvdp15";
	memcpy(d->device, device, strlen(device) + 1);
	for (unsigned int i = 0; i < c->disk_count; i++)
		if (c->disks[i].number == d->number)
			return "this device is there already";
	if (strcmp(mode, "w") != 0 && strcmp(mode, "r") != 0)
		return "mode r or w";
	d->writable = *mode == 'w';
	wrong = read_source(d, source);
	if (!wrong)
		c->disk_count++;
	return wrong;
}

static const char *add_address(struct vif_config *v, const char *text)
{
	uint8_t address[16];

	if (inet_pton(AF_INET, text, address) == 1) {
		if (v->ipv4_count == CONFIG_ADDRESSES_MAX)
			return "too many IPv4 addresses";
		memcpy(v->ipv4[v->ipv4_count++], address, 4);
		return NULL;
	}
	if (inet_pton(AF_INET6, text, address) == 1) {
		if (v->ipv6_count == CONFIG_ADDRESSES_MAX)
			return "too many IPv6 addresses";
		memcpy(v->ipv6[v->ipv6_count++], address, 16);
		return NULL;
	}
	return "no IP address";
}

static const char *read_vif(struct domain_config *c, const struct key *k,
			    char *value)
{
	struct vif_config *v = &c->vifs[c->vif_count];
	char *w;

	(void)k;
	if (c->vif_count == CONFIG_VIFS_MAX)
		return "too many";
	memset(v, 0, sizeof(*v));
	while ((w = word(&value))) {
		const char *wrong = NULL;

		if (strncmp(w, "mac=", 4) == 0) {
			if (!parse_mac(w + 4, v->mac) || v->mac[0] & 1)
				wrong = "no MAC of a station";
			v->has_mac = true;
		} else if (strncmp(w, "ip=", 3) == 0) {
			wrong = add_address(v, w + 3);
		} else {
			wrong = "words mac=, ip=";
		}
		if (wrong)
			return wrong;
	}
	c->vif_count++;
	return NULL;
}

#define FIELD(name)                                                            \
	offsetof(struct domain_config, name),                                  \
		sizeof(((struct domain_config *)0)->name)

static const struct key keys[] = {
	{ "name", read_name, FIELD(name), 0, 0 },
	{ "kernel", read_text, FIELD(kernel), 0, 0 },
	{ "ramdisk", read_text, FIELD(ramdisk), 0, 0 },
	{ "command", read_text, FIELD(command), 0, 0 },
	{ "memory", read_size, FIELD(memory_bytes), MEMORY_LEAST, MEMORY_MOST },
	{ "max_memory", read_size, FIELD(max_memory_bytes), MEMORY_LEAST,
	  MEMORY_MOST },
	{ "vcpus", read_number, FIELD(vcpus), 1, CONFIG_VCPUS_MAX },
	{ "weight", read_number, FIELD(weight), 1, WEIGHT_MOST },
	{ "cap", read_number, FIELD(cap_permille), 0, CAP_MOST },
	{ "on_poweroff", read_action, FIELD(on_poweroff), 0, 0 },
	{ "on_reboot", read_action, FIELD(on_reboot), 0, 0 },
	{ "on_crash", read_action, FIELD(on_crash), 0, 0 },
	{ "disk", read_disk, 0, 0, 0, 0 },
	{ "vif", read_vif, 0, 0, 0, 0 },
};

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (*text == ' ' || *text == '\t')
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text;
}

static const char *read_line(struct domain_config *c, char *line)
{
	char *value = line = trim(line);
	const char *name;

	if (!*line || *line == '#')
		return NULL;
	strsep(&value, "=");
	if (!value)
		return "no =";
	name = trim(line);
	value = trim(value);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(name, keys[i].name) == 0)
			return keys[i].read(c, &keys[i], value);
	return "no such key";
}

static int check_whole(struct domain_config *c, struct error *err)
{
	if (!*c->name || !*c->kernel || !c->memory_bytes)
		return error_set(err, ERR_INVALID,
				 "name, kernel and memory must be given");
	if (!c->max_memory_bytes)
		c->max_memory_bytes = c->memory_bytes;
	if (c->max_memory_bytes < c->memory_bytes)
		return error_set(err, ERR_INVALID,
				 "max_memory is less than memory");
	return 0;
}

int domain_config_parse(struct domain_config *out, const char *text,
			size_t bytes, struct error *err)
{
	const char *end = text + bytes;
	unsigned int number = 1;

	*out = (struct domain_config){
		.vcpus = 1,
		.weight = CONFIG_WEIGHT_USUAL,
		.on_poweroff = END_DESTROY,
		.on_reboot = END_RESTART,
		.on_crash = END_PRESERVE,
	};
	for (; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((newline ?: end) - text);
		char line[LINE_MAX_BYTES];
		const char *wrong;

		if (length >= sizeof(line) || memchr(text, '\0', length))
			return error_set(err, ERR_INVALID,
					 "line %u is too long, or no text",
					 number);
		memcpy(line, text, length);
		line[length] = '\0';
		wrong = read_line(out, line);
		if (wrong)
			return error_set(err, ERR_INVALID, "line %u: %s",
					 number, wrong);
		text += length + 1;
	}
	return check_whole(out, err);
}
