/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Question: are the strings of xen_version written whole and clean?
 * Rule:     fixed-size outputs are zero after the string's end, so that no
 *           stack bytes of the hypervisor leak, and nothing is written past
 *           the structure.
 * Source:   checklist 48.
 * Expected: zeros to the size of the type, the pattern untouched after it.
 */
#include "xt.h"

static u8 buf[2048];

static void examine(int op, size_t size_bytes, const char *what)
{
	size_t n;

	memset(buf, 0xa5, sizeof(buf));
	check_eq(xen_version(op, buf), 0);
	n = strlen((char *)buf);
	check(n < size_bytes, "%s has no end", what);
	for (; n < size_bytes; n++)
		check(!buf[n], "%s: byte %lu is %x", what, n, buf[n]);
	for (; n < sizeof(buf); n++)
		check(buf[n] == 0xa5, "%s wrote byte %lu", what, n);
}

void test_main(void)
{
	examine(XENVER_extraversion, sizeof(xen_extraversion_t),
		"extraversion");
	examine(XENVER_capabilities, sizeof(xen_capabilities_info_t),
		"capabilities");
	examine(XENVER_changeset, sizeof(xen_changeset_info_t), "changeset");
	pass("3 strings");
}
