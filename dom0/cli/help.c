// SPDX-License-Identifier: Apache-2.0
/* Help, from the tables. */
#include <stdio.h>
#include <string.h>

#include "run.h"

static void print_option(const struct option_row *o)
{
	char name[64];

	if (o->letter)
		snprintf(name, sizeof(name), "-%c, --%s%s%s", o->letter,
			 o->name, o->argument ? " " : "",
			 o->argument ? o->argument : "");
	else
		snprintf(name, sizeof(name), "    --%s%s%s", o->name,
			 o->argument ? " " : "",
			 o->argument ? o->argument : "");
	printf("  %-34s %s\n", name, o->help);
}

static void print_options(const char *list)
{
	for (const struct option_row *o = option_rows; o->name; o++)
		if (listed(list, o->name))
			print_option(o);
}

static void print_command(const struct command *c)
{
	char usage[120];

	snprintf(usage, sizeof(usage), "%s%s%s%s%s", c->noun,
		 *c->verb ? " " : "", c->verb, *c->arguments ? " " : "",
		 c->arguments);
	printf("  %-34s %s\n", usage, c->summary);
}

static enum status help_on_command(const struct command *c)
{
	printf("usage: xeno %s%s%s%s%s [OPTION...]\n\n%s.\n", c->noun,
	       *c->verb ? " " : "", c->verb, *c->arguments ? " " : "",
	       c->arguments, c->summary);
	if (c->method)
		printf("It is %s %s.\n", c->method, c->path);
	if (*c->options) {
		printf("\noptions:\n");
		print_options(c->options);
	}
	printf("\noptions of all commands:\n");
	print_options(OPTIONS_OF_ALL);
	return STATUS_OK;
}

static enum status help_on_noun(const char *noun)
{
	bool found = false;

	for (const struct command *c = commands; c->noun; c++)
		if (strcmp(c->noun, noun) == 0) {
			print_command(c);
			found = true;
		}
	if (found)
		return STATUS_OK;
	fprintf(stderr, "xeno: there is no command %s; see xeno help\n", noun);
	return STATUS_USAGE;
}

static enum status help_on_all(void)
{
	printf("usage: xeno NOUN VERB [ARGUMENT...] [OPTION...]\n\n");
	for (const struct command *c = commands; c->noun; c++)
		print_command(c);
	printf("\nxeno help NOUN VERB has a command's options. Options of all "
	       "commands:\n");
	print_options(OPTIONS_OF_ALL);
	return STATUS_OK;
}

enum status run_help(struct call *c)
{
	const struct command *m;

	if (!c->words[0])
		return help_on_all();
	m = command_find(c->words[0], c->words[1]);
	if (m)
		return help_on_command(m);
	if (!c->words[1])
		return help_on_noun(c->words[0]);
	fprintf(stderr, "xeno: there is no command %s %s; see xeno help\n",
		c->words[0], c->words[1]);
	return STATUS_USAGE;
}
