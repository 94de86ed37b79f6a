// SPDX-License-Identifier: Apache-2.0
/* Sizes, numbers, and options in parts. */
#include "../../parts.h"
#include "../../size.h"
#include "unit.h"

static void sizes(void **state)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} right[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "4096B", 4096 },
		{ "1K", 1024 },
		{ "512M", 512LL << 20 },
		{ "512MiB", 512LL << 20 },
		{ "1g", 1LL << 30 },
		{ "3GB", 3LL << 30 },
		{ "2T", 2LL << 40 },
		{ "9223372036854775807", INT64_MAX },
		{ "8388607T", 8388607LL << 40 },
	};
	static const char *const wrong[] = {
		"",         "M",   "-1",   "1.5G", "1P",
		"1 G",      "1Gi", "1GBB", "0x10", "9223372036854775808",
		"8388608T", "1K1", " 1",   "1Ki "
	};
	int64_t bytes;

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		assert_true(size_parse(right[i].text, &bytes));
		assert_int_equal(bytes, right[i].bytes);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (size_parse(wrong[i], &bytes))
			fail_msg("%s is taken for a size", wrong[i]);
	assert_true(number_parse("17", &bytes) && bytes == 17);
	assert_false(number_parse("17M", &bytes));
}

static void short_sizes(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} list[] = {
		{ 0, "0" },
		{ 1023, "1023" },
		{ 1024, "1K" },
		{ 1536, "1.5K" },
		{ 1048575, "1023.9K" },
		{ 134217728, "128M" },
		{ 1LL << 40, "1T" },
		{ 4096LL << 40, "4096T" },
		{ INT64_MAX, "8388607.9T" },
	};
	char text[SIZE_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		assert_string_equal(size_text(list[i].bytes, text),
				    list[i].text);
}

static const struct part disk[] = {
	{ "", "device", PART_TEXT },      { "device", "device", PART_TEXT },
	{ "size", "bytes", PART_SIZE },   { "n", "number", PART_NUMBER },
	{ "ro", "writable", PART_FALSE }, { "x", "shared", PART_TRUE },
	{ "ip", "addresses", PART_LIST }, { NULL, NULL, PART_TEXT },
};

static void parts(void **state)
{
	static const struct {
		const char *text, *json;
	} list[] = {
		{ "xvda", "{\"device\":\"xvda\"}" },
		{ "device=xvda,size=1G",
		  "{\"device\":\"xvda\",\"bytes\":1073741824}" },
		{ "xvdb,ro,x,n=3",
		  "{\"device\":\"xvdb\",\"writable\":false,\"shared\":true,"
		  "\"number\":3}" },
		{ "ip=a,ip=b=c", "{\"addresses\":[\"a\",\"b=c\"]}" },
		{ "ro", "{\"writable\":false}" },
	};
	static const char *const wrong[] = { "xvda,xvdb",     "size=1x",
					     "ro=1",          "sizes=1",
					     "xvda,",         "size=1,size=2",
					     "xvda,device=b", "n=-1" };
	char why[160];

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		json_t *got = parts_parse(list[i].text, disk, why, sizeof(why));
		char *text = json_dumps(got, JSON_COMPACT);

		assert_non_null(got);
		assert_string_equal(text, list[i].json);
		free(text);
		json_decref(got);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (parts_parse(wrong[i], disk, why, sizeof(why)))
			fail_msg("%s is taken", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(short_sizes),
		cmocka_unit_test(parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
