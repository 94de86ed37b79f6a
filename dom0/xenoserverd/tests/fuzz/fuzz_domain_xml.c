// SPDX-License-Identifier: Apache-2.0
/* libvirt's XML, as anybody may send it: it is no XML, or has violations, or is
 * a domain that comes back the same when it is written and read again. */
#include <stdlib.h>
#include <string.h>

#include "libvirt/domain_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TEXT_MAX_BYTES 65536

static void check_round_trip(const struct domain_spec *s)
{
	static struct domain d = { .id = "dom_01M8Q5397R0YR6H0V41WPSB7N3" };
	static struct domain_import again;
	struct violations v = { .count = 0 };
	struct strbuf text = { .text = NULL }, second = { .text = NULL };
	struct error err;

	d.spec = *s;
	domain_xml_write(&text, &d);
	if (domain_xml_read(text.text, text.length, &again, &v, &err) ||
	    v.count)
		abort();
	d.spec = again.spec;
	domain_xml_write(&second, &d);
	if (strcmp(text.text, second.text) != 0)
		abort();
	strbuf_clear(&text);
	strbuf_clear(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct domain_import got;
	struct violations v = { .count = 0 };
	struct error err;

	if (size > TEXT_MAX_BYTES ||
	    domain_xml_read((const char *)data, size, &got, &v, &err))
		return 0;
	for (unsigned int i = 0; i < v.count; i++)
		if (!*v.list[i].field || !*v.list[i].limit)
			abort();
	if (!v.count)
		check_round_trip(&got.spec);
	return 0;
}
