// SPDX-License-Identifier: Apache-2.0
/* Tables, CSV and YAML of given answers. */
#include "../../output.h"
#include "unit.h"

static void expect(const struct layout *l, const char *json, const char *text)
{
	json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
	struct strbuf out = { .text = NULL };

	assert_non_null(value);
	output(&out, l, value);
	assert_string_equal(out.text ? out.text : "", text);
	strbuf_clear(&out);
	json_decref(value);
}

static const char two[] =
	"{\"items\":[{\"name\":\"a\",\"memory\":1536,"
	"\"labels\":{\"k.x\":\"v\"}},"
	"{\"name\":\"longer\",\"memory\":null}],\"next\":null}";

static void tables(void **state)
{
	struct layout l = { OUTPUT_TABLE,
			    "NAME=name MEM=memory:size X=labels.k.x", true,
			    NULL };

	(void)state;
	expect(&l, two,
	       "NAME    MEM   X\n"
	       "a       1.5K  v\n"
	       "longer  -     -\n");
	l.headers = false;
	expect(&l, two,
	       "a       1.5K  v\n"
	       "longer  -     -\n");
	l.headers = true;
	expect(&l, "{\"items\":[]}", "NAME  MEM  X\n");
	expect(&l, "{\"name\":\"one\",\"memory\":1}",
	       "NAME  MEM  X\none   1    -\n");
	l.columns = NULL;
	expect(&l, "{\"a\":{\"b\":[1,\"x\"],\"cc\":true},\"d\":\"\"}",
	       "a.b   1,x\na.cc  true\nd     -\n");
}

/* What a tenant has put into a text cannot move the cursor of an operator. */
static void control_characters(void **state)
{
	const struct layout l = { OUTPUT_TABLE, "T=t", true, NULL };
	const struct layout record = { OUTPUT_TABLE, NULL, true, NULL };

	(void)state;
	expect(&l, "[{\"t\":\"a\\u001b[2Jb\\u009bc\\u007f\\n\"}]",
	       "T\na.[2Jb.c..\n");
	expect(&record, "{\"t\":\"\\u001b]0;x\\u0007\"}", "t  .]0;x.\n");
	/* Two bytes, one column. */
	expect(&(struct layout){ OUTPUT_TABLE, "T=t U=u", true, NULL },
	       "[{\"t\":\"\\u00e9\",\"u\":1}]", "T  U\n\xc3\xa9  1\n");
}

static void csv(void **state)
{
	struct layout l = { OUTPUT_CSV,
			    "NAME=name MEM=memory:size X=labels.k.x", true,
			    NULL };

	(void)state;
	expect(&l, two, "name,memory,labels.k.x\na,1536,v\nlonger,,\n");
	expect(&l, "{\"items\":[]}", "name,memory,labels.k.x\n");
	l.columns = NULL;
	expect(&l, "{\"a\":\"x,\\\"y\\\"\\n\",\"b\":\" s\",\"c\":[1,2]}",
	       "a,b,c\n\"x,\"\"y\"\"\n\",\" s\",\"1,2\"\n");
	l.headers = false;
	expect(&l, "{\"a\":\"\",\"b\":null,\"c\":false}", ",,false\n");
}

static void yaml(void **state)
{
	const struct layout l = { OUTPUT_YAML, NULL, true, NULL };

	(void)state;
	expect(&l,
	       "{\"a\":[],\"b\":{},\"c\":[{\"d\":1,\"e\":[[1],2]}],\"f\":null}",
	       "a: []\nb: {}\nc:\n  - d: 1\n    e:\n      - - 1\n      - 2\n"
	       "f: null\n");
	expect(&l,
	       "[\"no\",\"1\",\"-x\",\"a: b\",\"web1\",\"\",\"N\",\"a\\u0085\\u2028\\\"\\\\\"]",
	       "- \"no\"\n- \"1\"\n- \"-x\"\n- \"a: b\"\n- web1\n- \"\"\n- \"N\"\n"
	       "- \"a\\x85\\u2028\\\"\\\\\"\n");
	expect(&l, "\"x\"", "x\n");
}

/* A list that is not the whole answer, and amounts of money. */
static void bills(void **state)
{
	struct layout l = { OUTPUT_TABLE, "M=m P=p:money", true, "lines" };
	static const char json[] =
		"{\"lines\":[{\"m\":\"vcpu\",\"p\":{\"micro\":-2500,"
		"\"currency\":\"EUR\"}},{\"m\":\"disk\",\"p\":{\"micro\":"
		"-9223372036854775808,\"currency\":\"EUR\"}},{\"m\":\"x\","
		"\"p\":null}],\"items\":1}";

	(void)state;
	expect(&l, json,
	       "M     P\nvcpu  -0.002500 EUR\n"
	       "disk  -9223372036854.775808 EUR\nx     -\n");
	l.form = OUTPUT_CSV;
	expect(&l, json,
	       "m,p.micro\nvcpu,-2500\ndisk,-9223372036854775808\nx,\n");
}

static void one_by_one(void **state)
{
	struct layout l = { OUTPUT_TABLE, "ID=id:4 TEXT=text", true, NULL };
	json_t *value = json_pack("{si ss}", "id", 7, "text", "t");
	struct strbuf out = { .text = NULL };

	(void)state;
	output_next(&out, &l, value, true);
	output_next(&out, &l, value, false);
	l.form = OUTPUT_JSON;
	output_next(&out, &l, value, false);
	l.form = OUTPUT_CSV;
	output_next(&out, &l, value, true);
	l.form = OUTPUT_YAML;
	output_next(&out, &l, value, true);
	assert_string_equal(out.text,
			    "ID    TEXT\n7     t\n7     t\n"
			    "{\"id\":7,\"text\":\"t\"}\nid,text\n7,t\n"
			    "---\nid: 7\ntext: t\n");
	strbuf_clear(&out);
	json_decref(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables), cmocka_unit_test(control_characters),
		cmocka_unit_test(csv),    cmocka_unit_test(yaml),
		cmocka_unit_test(bills),  cmocka_unit_test(one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
