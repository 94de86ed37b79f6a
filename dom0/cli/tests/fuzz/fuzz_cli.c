// SPDX-License-Identifier: Apache-2.0
/* What comes from the node or from the command line: a stream of events says
 * the same in whatever pieces it comes; any JSON can be printed in all forms;
 * and options in parts are read or refused. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../frame.h"
#include "../../output.h"
#include "../../parts.h"
#include "../../sse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool collect(void *context, const char *id, const char *data)
{
	strbuf_add(context, "[%s|%s]", id, data);
	return true;
}

static void stream(struct strbuf *out, const char *text, size_t size,
		   size_t piece)
{
	struct sse s = { .event = collect, .context = out };
	bool going = true;

	for (size_t i = 0; i < size && going; i += piece)
		going = sse_feed(&s, text + i,
				 piece < size - i ? piece : size - i);
	strbuf_clear(&s.line);
	strbuf_clear(&s.data);
}

static void check_stream(const char *text, size_t size)
{
	struct strbuf whole = { .text = NULL }, pieces = { .text = NULL };

	stream(&whole, text, size, size + 1);
	stream(&pieces, text, size, 1);
	if (whole.length != pieces.length ||
	    (whole.length &&
	     memcmp(whole.text, pieces.text, whole.length) != 0))
		abort();
	strbuf_clear(&whole);
	strbuf_clear(&pieces);
}

static void add_data(void *context, const char *bytes, size_t count)
{
	strbuf_add_bytes(context, bytes, count);
}

static void add_control(void *context, unsigned int opcode, const char *bytes,
			size_t count)
{
	strbuf_add(context, "<%u>", opcode);
	strbuf_add_bytes(context, bytes, count);
}

static bool frames(struct strbuf *out, const char *text, size_t size,
		   size_t piece)
{
	struct frame_reader r = { .data = add_data,
				  .control = add_control,
				  .context = out };
	bool good = true;

	for (size_t i = 0; i < size && good; i += piece)
		good = frame_feed(&r, text + i,
				  piece < size - i ? piece : size - i);
	return good;
}

static void check_frames(const char *text, size_t size)
{
	struct strbuf whole = { .text = NULL }, pieces = { .text = NULL };
	bool good = frames(&whole, text, size, size);

	if (frames(&pieces, text, size, 1) != good ||
	    whole.length != pieces.length ||
	    (whole.length &&
	     memcmp(whole.text, pieces.text, whole.length) != 0))
		abort();
	strbuf_clear(&whole);
	strbuf_clear(&pieces);
}

/* A table has no control characters but the ends of its lines. */
static void check_output(const char *text, size_t size)
{
	json_t *value = json_loadb(text, size, 0, NULL);

	for (int form = OUTPUT_TABLE; value && form <= OUTPUT_CSV; form++)
		for (int columns = 0; columns < 2; columns++) {
			struct layout l = { form,
					    columns ? "A=a:size B=b.c" : NULL,
					    true, NULL };
			struct strbuf out = { .text = NULL };

			output(&out, &l, value);
			for (size_t i = 0;
			     form == OUTPUT_TABLE && columns && i < out.length;
			     i++)
				if ((unsigned char)out.text[i] < 0x20 &&
				    out.text[i] != '\n')
					abort();
			strbuf_clear(&out);
		}
	json_decref(value);
}

static void check_parts(const char *text, size_t size)
{
	static const struct part table[] = {
		{ "", "device", PART_TEXT },
		{ "size", "bytes", PART_SIZE },
		{ "ro", "writable", PART_FALSE },
		{ "ip", "list", PART_LIST },
		{ NULL, NULL, PART_TEXT },
	};
	char *copy = strndup(text, size), why[80];

	json_decref(parts_parse(copy, table, why, sizeof(why)));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	if (!size)
		return 0;
	check_stream(text, size);
	check_frames(text, size);
	check_output(text, size);
	check_parts(text, size);
	return 0;
}
