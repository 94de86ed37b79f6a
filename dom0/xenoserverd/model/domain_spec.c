// SPDX-License-Identifier: Apache-2.0
/* See domain_spec.h. */
#include "model/domain_spec.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const end_words[] = {
	[END_DESTROY] = "destroy",
	[END_RESTART] = "restart",
	[END_PRESERVE] = "preserve",
};

const char *end_action_word(enum end_action a)
{
	return end_words[a];
}

bool end_action_parse(enum end_action *out, const char *word)
{
	for (unsigned int i = 0; i < 3; i++)
		if (strcmp(word, end_words[i]) == 0) {
			*out = i;
			return true;
		}
	return false;
}

void domain_spec_default(struct domain_spec *s)
{
	*s = (struct domain_spec){
		.vcpus = 1,
		.cpu_reservation_permille = SPEC_CPU_USUAL,
		.on_poweroff = END_DESTROY,
		.on_reboot = END_RESTART,
		.on_crash = END_PRESERVE,
	};
}

static bool only(const char *text, const char *also)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(also, *text))
			return false;
	return true;
}

bool name_valid(const char *name, unsigned int length_max)
{
	return isalnum((unsigned char)*name) && strlen(name) <= length_max &&
	       only(name, "._-");
}

bool label_key_valid(const char *key)
{
	return isalnum((unsigned char)*key) && strlen(key) < SPEC_LABEL_MAX &&
	       only(key, "._-/");
}

bool label_value_valid(const char *value)
{
	return strlen(value) < SPEC_LABEL_MAX && only(value, "._-");
}

/* The name of a file in a folder: no way out of it. */
static void check_file(struct violations *v, const char *name, bool needed,
		       const char *field)
{
	if (!*name && !needed)
		return;
	if (!name_valid(name, SPEC_FILE_MAX - 1))
		violation_add(v, name,
			      "the name of a file: 1 to 63 letters, digits, "
			      ". _ -, the first a letter or digit",
			      "%s", field);
}

static void check_range(struct violations *v, uint64_t value, uint64_t least,
			uint64_t most, const char *field)
{
	char text[24], limit[64];

	if (value >= least && value <= most)
		return;
	snprintf(text, sizeof(text), "%" PRIu64, value);
	snprintf(limit, sizeof(limit), "%" PRIu64 " to %" PRIu64, least, most);
	violation_add(v, text, limit, "%s", field);
}

static void check_disk(struct domain_spec *s, unsigned int i,
		       struct violations *v)
{
	const struct disk_spec *d = &s->disks[i];
	char field[64];

	if (!disk_number(d->device))
		violation_add(v, d->device, "xvda to xvdp, xvda1 to xvdp15",
			      "/disks/%u/device", i);
	for (unsigned int j = 0; j < i; j++)
		if (strcmp(s->disks[j].device, d->device) == 0)
			violation_add(v, d->device, "each device once",
				      "/disks/%u/device", i);
	if (*d->volume) {
		if (!name_valid(d->volume, CONFIG_NAME_MAX - 1))
			violation_add(v, d->volume,
				      "the name or id of a volume",
				      "/disks/%u/volume", i);
		if (*d->image)
			violation_add(v, d->image,
				      "left out: the volume has its contents",
				      "/disks/%u/image", i);
		return;
	}
	snprintf(field, sizeof(field), "/disks/%u/size_bytes", i);
	check_range(v, d->size_bytes, SPEC_DISK_LEAST, SPEC_DISK_MOST, field);
	if (d->size_bytes % 512)
		violation_add_number(v, (long long)d->size_bytes,
				     "a multiple of 512", field);
	snprintf(field, sizeof(field), "/disks/%u/image", i);
	check_file(v, d->image, false, field);
}

static void check_mac(struct nic_spec *n, unsigned int i, struct violations *v)
{
	uint8_t mac[6];

	if (!*n->mac)
		return;
	if (!parse_mac(n->mac, mac) || mac[0] & 1)
		violation_add(v, n->mac,
			      "six bytes of a station: "
			      "02:00:00:00:00:01",
			      "/nics/%u/mac", i);
	for (char *p = n->mac; *p; p++)
		*p = (char)tolower((unsigned char)*p);
}

static void check_nic(struct domain_spec *s, unsigned int i,
		      struct violations *v)
{
	struct nic_spec *n = &s->nics[i];

	check_mac(n, i, v);
	for (unsigned int j = 0; j < n->address_count; j++) {
		char *address = n->addresses[j];
		uint8_t bytes[16];

		/* One address has one form, so that two can be compared. */
		if (inet_pton(AF_INET, address, bytes) == 1) {
			inet_ntop(AF_INET, bytes, address, SPEC_ADDRESS_MAX);
		} else if (inet_pton(AF_INET6, address, bytes) == 1) {
			inet_ntop(AF_INET6, bytes, address, SPEC_ADDRESS_MAX);
		} else {
			violation_add(v, address, "an IPv4 or IPv6 address",
				      "/nics/%u/addresses/%u", i, j);
		}
	}
}

static void check_label(const struct domain_spec *s, unsigned int i,
			struct violations *v)
{
	const struct label *l = &s->labels[i];

	if (!label_key_valid(l->key))
		violation_add(v, l->key,
			      "1 to 63 letters, digits, . _ - /, the first a "
			      "letter or digit",
			      "/labels");
	else if (!label_value_valid(l->value))
		violation_add(v, l->value, "up to 63 letters, digits, . _ -",
			      "/labels/%s", l->key);
}

static void check_cpu(const struct domain_spec *s, struct violations *v)
{
	check_range(v, s->vcpus, 1, CONFIG_VCPUS_MAX, "/vcpus");
	if (s->vcpus >= 1 && s->vcpus <= CONFIG_VCPUS_MAX)
		check_range(v, s->cpu_reservation_permille, 1,
			    s->vcpus * 1000ULL, "/cpu_reservation_permille");
	check_range(v, s->cpu_cap_permille, 0, SPEC_CAP_MOST,
		    "/cpu_cap_permille");
	if (s->cpu_cap_permille &&
	    s->cpu_cap_permille < s->cpu_reservation_permille)
		violation_add_number(v, s->cpu_cap_permille,
				     "0, or at least cpu_reservation_permille",
				     "/cpu_cap_permille");
}

void domain_spec_check(struct domain_spec *s, struct violations *v)
{
	if (!name_valid(s->name, CONFIG_NAME_MAX - 1))
		violation_add(v, s->name,
			      "1 to 47 letters, digits, . _ -, the first a "
			      "letter or digit",
			      "/name");
	check_file(v, s->kernel, true, "/kernel");
	check_file(v, s->ramdisk, false, "/ramdisk");
	for (const char *p = s->command; *p; p++)
		if (!isprint((unsigned char)*p)) {
			violation_add(v, s->command,
				      "printable ASCII characters only",
				      "/command");
			break;
		}
	check_range(v, s->memory_bytes, SPEC_MEMORY_LEAST, SPEC_MEMORY_MOST,
		    "/memory_bytes");
	if (s->memory_bytes % 4096)
		violation_add_number(v, (long long)s->memory_bytes,
				     "a multiple of 4096", "/memory_bytes");
	check_cpu(s, v);
	for (unsigned int i = 0; i < s->disk_count; i++)
		check_disk(s, i, v);
	for (unsigned int i = 0; i < s->nic_count; i++)
		check_nic(s, i, v);
	for (unsigned int i = 0; i < s->label_count; i++)
		check_label(s, i, v);
}
