// SPDX-License-Identifier: Apache-2.0
/* What becomes of words on their way into URLs and shells. */
#include "../../request.h"
#include "unit.h"

static void quoted(void (*quote)(struct strbuf *, const char *),
		   const char *text, const char *expected)
{
	struct strbuf out = { .text = NULL };

	strbuf_add(&out, "%s", "");
	quote(&out, text);
	assert_string_equal(out.text, expected);
	strbuf_clear(&out);
}

static void quoting(void **state)
{
	(void)state;
	quoted(url_quote, "web-1.a_b~", "web-1.a_b~");
	quoted(url_quote, "../a b?c#d%/\xc3\xa9",
	       "..%2Fa%20b%3Fc%23d%25%2F%C3%A9");
	quoted(shell_quote, "http://node/v1", "http://node/v1");
	quoted(shell_quote, "", "''");
	quoted(shell_quote, "a'b $c", "'a'\\''b $c'");
	quoted(shell_quote, "~x", "'~x'");
}

static void targets(void **state)
{
	static const struct command m = {
		"n",  "v",    "A B",           "",    "",
		NULL, "POST", "/v1/a/{}/b/{}", KEYED, NULL,
	};
	struct call c = { .command = &m,
			  .words = { "x/y", "z" },
			  .query = json_pack("{ss ss}", "p", "1&2", "q", "") };
	struct request r;

	(void)state;
	assert_int_equal(request_make(&r, &c), 0);
	assert_string_equal(r.target.text, "/v1/a/x%2Fy/b/z?p=1%262&q=");
	assert_true(r.repeatable);
	assert_null(r.body.text);
	assert_int_equal(r.header_count, 1);
	assert_int_equal(strlen(r.headers[0].text),
			 strlen("Idempotency-Key: ") + 32);
	request_clear(&r);
	json_decref(c.query);
}

/* The token must not be in what is shown to others. */
static void curl_lines(void **state)
{
	struct settings s = { .url = "https://n:1/",
			      .token = "secret",
			      .ca_file = "my ca" };
	struct strbuf line = { .text = NULL };
	struct request r;

	(void)state;
	request_get(&r, "/v1/x?a=1&b=2");
	curl_line(&line, &r, &s);
	assert_string_equal(
		line.text,
		"curl -sS --cacert 'my ca' -H \"Authorization: Bearer "
		"$XENO_TOKEN\" 'https://n:1/v1/x?a=1&b=2'\n");
	strbuf_clear(&line);
	r.method = "POST";
	strbuf_add(&r.body, "{\"a\":\"'\"}");
	s = (struct settings){ .socket_path = "/s", .token_file = "t" };
	curl_line(&line, &r, &s);
	assert_string_equal(
		line.text,
		"curl -sS --unix-socket /s -H \"Authorization: Bearer "
		"$(cat t)\" --data-binary '{\"a\":\"'\\''\"}' "
		"'http://node/v1/x?a=1&b=2'\n");
	strbuf_clear(&line);
	request_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quoting),
		cmocka_unit_test(targets),
		cmocka_unit_test(curl_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
