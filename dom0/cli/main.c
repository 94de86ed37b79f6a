// SPDX-License-Identifier: Apache-2.0
/*
 * xeno NOUN VERB [ARGUMENT...] [OPTION...]: asks a node over its REST API. What
 * there is to ask is in commands.c and options.c; here what was typed becomes a
 * call.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"
#include "run.h"
#include "size.h"

#define SOCKET_PATH "/run/xenoserver/api.sock"
#define OPTIONS_MAX 64

static int wrong(const char *format, const char *a, const char *b)
{
	fputs("xeno: ", stderr);
	fprintf(stderr, format, a, b);
	fputs("; see xeno help\n", stderr);
	return -1;
}

/* Options as getopt_long wants them: those of all, and those of a command. */
struct accepted {
	struct option longs[OPTIONS_MAX];
	char letters[OPTIONS_MAX];
	const struct option_row *rows[OPTIONS_MAX];
	int count;
};

static void accept(struct accepted *a, const char *more, bool stop_at_word)
{
	size_t letters = 0;

	memset(a, 0, sizeof(*a));
	if (stop_at_word)
		a->letters[letters++] = '+';
	a->letters[letters++] = ':';
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!listed(OPTIONS_OF_ALL, o->name) && !listed(more, o->name))
			continue;
		a->rows[a->count] = o;
		a->longs[a->count++] = (struct option){
			o->name, o->argument ? required_argument : no_argument,
			NULL, 256
		};
		if (!o->letter)
			continue;
		a->letters[letters++] = o->letter;
		if (o->argument)
			a->letters[letters++] = ':';
	}
}

static const struct option_row *row_of(const struct accepted *a, int got,
				       int index)
{
	for (int i = 0; i < a->count; i++)
		if (got == 256 ? i == index : a->rows[i]->letter == got)
			return a->rows[i];
	return NULL;
}

static json_t *list_in(json_t *body, const char *field, json_t *fresh)
{
	json_t *list = json_object_get(body, field);

	if (list) {
		json_decref(fresh);
		return list;
	}
	json_object_set_new(body, field, fresh);
	return fresh;
}

static int add_label(json_t *body, const struct option_row *o, const char *text)
{
	json_t *labels = list_in(body, o->field, json_object());
	const char *equals = strchr(text, '=');

	if (o->kind == OPTION_BODY_NO_LABEL)
		return json_object_set_new(labels, text, json_null());
	if (!equals || equals == text)
		return wrong("--%s %s: KEY=VALUE is needed", o->name, text);
	return json_object_setn_new(labels, text, (size_t)(equals - text),
				    json_string(equals + 1));
}

static int add_parts(json_t *body, const struct option_row *o, const char *text)
{
	json_t *value;
	char why[160];

	value = *text ? parts_parse(text, o->parts, why, sizeof(why))
		      : json_object();
	if (!value)
		return wrong("--%s %s", o->name, why);
	if (o->kind == OPTION_BODY_PART)
		return json_object_set_new(body, o->field, value);
	return json_array_append_new(list_in(body, o->field, json_array()),
				     value);
}

static int add_price(json_t *body, const struct option_row *o, const char *text)
{
	json_t *prices = list_in(body, o->field, json_object());
	const char *equals = strchr(text, '='), *slash = strchr(text, '/');
	int64_t micro, per;
	char number[24];

	if (equals && slash && slash > equals &&
	    (size_t)(slash - equals) < sizeof(number)) {
		snprintf(number, sizeof(number), "%.*s",
			 (int)(slash - equals) - 1, equals + 1);
		if (number_parse(number, &micro) &&
		    number_parse(slash + 1, &per))
			return json_object_setn_new(
				prices, text, (size_t)(equals - text),
				json_pack("{sI sI}", "micro", (json_int_t)micro,
					  "per", (json_int_t)per));
	}
	return wrong("--%s %s: METER=MICRO/PER is needed", o->name, text);
}

static int add_to_body(json_t *body, const struct option_row *o,
		       const char *text)
{
	json_t *value = NULL;
	int64_t number;

	switch (o->kind) {
	case OPTION_BODY_LABEL:
	case OPTION_BODY_NO_LABEL:
		return add_label(body, o, text);
	case OPTION_BODY_PARTS:
	case OPTION_BODY_PART:
		return add_parts(body, o, text);
	case OPTION_BODY_PRICE:
		return add_price(body, o, text);
	case OPTION_BODY_SIZE:
		if (size_parse(text, &number))
			value = json_integer(number);
		break;
	case OPTION_BODY_NUMBER:
		if (number_parse(text, &number))
			value = json_integer(number);
		break;
	case OPTION_BODY_SIGNED:
		if (number_parse(text + (*text == '-'), &number))
			value = json_integer(*text == '-' ? -number : number);
		break;
	case OPTION_BODY_TRUE:
	case OPTION_BODY_FALSE:
		value = json_boolean(o->kind == OPTION_BODY_TRUE);
		break;
	default:
		value = json_string(text);
		break;
	}
	if (!value)
		return wrong(o->kind == OPTION_BODY_SIZE
				     ? "--%s %s: a size is needed, as 512M"
				     : "--%s %s: a whole number is needed",
			     o->name, text);
	return json_object_set_new(body, o->field, value);
}

static int apply(struct call *c, const struct option_row *o, const char *text)
{
	char *at = (char *)&c->settings + o->offset;

	switch (o->kind) {
	case OPTION_TEXT:
		memcpy(at, &text, sizeof(text));
		return 0;
	case OPTION_FLAG:
		*(bool *)at = true;
		return 0;
	case OPTION_NUMBER:
		if (number_parse(text, (int64_t *)at) && *(int64_t *)at)
			return 0;
		return wrong("--%s %s: a whole number above 0 is needed",
			     o->name, text);
	case OPTION_FORM:
		if (output_form_parse(text, (enum output_form *)at))
			return 0;
		return wrong("--%s %s: table, json, yaml or csv is needed",
			     o->name, text);
	case OPTION_QUERY:
		return json_object_set_new(c->query, o->field,
					   json_string(text ? text : "false"));
	default:
		return add_to_body(c->body, o, text);
	}
}

/* From argv[1] on, up to the first word or with all words moved to the end;
 * optind is where words begin. */
static int read_options(struct call *c, int argc, char **argv, const char *more,
			bool stop_at_word)
{
	struct accepted a;
	int index = -1, got;

	accept(&a, more, stop_at_word);
	opterr = 0;
	optind = 0; /* begins anew */
	while ((got = getopt_long(argc, argv, a.letters, a.longs, &index)) !=
	       -1) {
		const struct option_row *o = row_of(&a, got, index);
		const char *typed = argv[optind - 1];

		if (got == ':')
			return wrong("%s needs an argument%s", typed, "");
		if (got == '?' && optopt && optopt < 256)
			return wrong("there is no option -%s%s here",
				     (char[]){ (char)optopt, '\0' }, "");
		if (!o)
			return wrong("there is no option %s%s here", typed, "");
		if (apply(c, o, optarg))
			return -1;
	}
	return 0;
}

static void from_environment(struct settings *s)
{
	const char *path = getenv("XENO_SOCKET");

	s->url = getenv("XENO_URL");
	s->token = getenv("XENO_TOKEN");
	s->token_file = getenv("XENO_TOKEN_FILE");
	s->ca_file = getenv("XENO_CACERT");
	s->socket_path = path ? path : SOCKET_PATH;
}

/* An option that was given counts more than what the environment says of the
 * same. */
static void settle(struct settings *s, const struct settings *environment)
{
	if (s->socket_path != environment->socket_path &&
	    s->url == environment->url)
		s->url = NULL;
	if (s->token != environment->token &&
	    s->token_file == environment->token_file)
		s->token_file = NULL;
}

static int read_words(struct call *c, int count, char **words)
{
	const struct command *m = c->command;
	unsigned int least, most = command_words(m, &least);

	if (count < (int)least || count > (int)most)
		return wrong("%s %s: its arguments are another number", m->noun,
			     m->verb);
	for (int i = 0; i < count; i++)
		c->words[i] = words[i];
	if (m->traits & NAMES && count)
		json_object_set_new(c->body, "name", json_string(words[0]));
	return 0;
}

static int find_command(struct call *c, char **words, int count)
{
	c->command = command_find(words[0], count > 1 ? words[1] : NULL);
	if (c->command)
		return 0;
	if (count > 1)
		return wrong("there is no command %s %s", words[0], words[1]);
	for (const struct noun *n = nouns; n->name; n++)
		if (strcmp(n->name, words[0]) == 0)
			return wrong("%s needs a verb%s", words[0], "");
	return wrong("there is no command %s%s", words[0], "");
}

static enum status help_on(struct call *c, char **words, int count)
{
	c->words[0] = count > 0 ? words[0] : NULL;
	c->words[1] = count > 1 ? words[1] : NULL;
	return run_help(c);
}

static enum status run(struct call *c, int argc, char **argv)
{
	struct settings environment;
	char **words;
	int count, skip;

	from_environment(&c->settings);
	environment = c->settings;
	if (read_options(c, argc, argv, "", true))
		return STATUS_USAGE;
	words = argv + optind;
	count = argc - optind;
	if (c->settings.help || !count)
		return help_on(c, words, count) == STATUS_OK && count
			       ? STATUS_OK
		       : c->settings.help ? STATUS_OK
					  : STATUS_USAGE;
	if (count > 1 &&
	    (strcmp(words[1], "-h") == 0 || strcmp(words[1], "--help") == 0))
		return help_on(c, words, 1);
	if (find_command(c, words, count))
		return STATUS_USAGE;
	skip = *c->command->verb ? 1 : 0;
	/* The last word before the arguments stands for the program's name. */
	if (read_options(c, count - skip, words + skip, c->command->options,
			 false))
		return STATUS_USAGE;
	if (c->settings.help)
		return help_on(c, words, skip + 1);
	settle(&c->settings, &environment);
	if (read_words(c, count - skip - optind, words + skip + optind))
		return STATUS_USAGE;
	return c->command->run(c);
}

int main(int argc, char **argv)
{
	struct call c = { .query = json_object(), .body = json_object() };
	enum status status = run(&c, argc, argv);

	json_decref(c.query);
	json_decref(c.body);
	if (fflush(stdout) && status == STATUS_OK) {
		perror("xeno");
		status = STATUS_FAILED;
	}
	return (int)status;
}
