// SPDX-License-Identifier: Apache-2.0
/* The completion file for bash, from the tables. Names of domains come from the
 * node, if it answers at once. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "run.h"

static const char head[] =
	"# bash completion for xeno, made by `xeno completion`\n"
	"_xeno_names()\n"
	"{\n"
	"\ttimeout 1 xeno \"$1\" list --no-headers --columns \"$2\" -q -o csv \\\n"
	"\t\t2>/dev/null\n"
	"}\n"
	"\n"
	"_xeno()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal words=() options='' names='' i\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\t[[ ${COMP_WORDS[i]} == -* ]] || words+=(\"${COMP_WORDS[i]}\")\n"
	"\tdone\n"
	"\tCOMPREPLY=()\n"
	"\tcase $prev in\n"
	"\t-o|--output)\n"
	"\t\tCOMPREPLY=($(compgen -W 'table json yaml csv' -- \"$cur\"))\n"
	"\t\treturn ;;\n"
	"\t-f|--file|--token-file|--cacert|--socket)\n"
	"\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"\t\treturn ;;\n"
	"\tesac\n"
	"\tcase \"${words[0]} ${words[1]}\" in\n";

static const char tail[] =
	"\tesac\n"
	"\tif [[ $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	"\telif [[ $names && ${#words[@]} -eq 2 ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_xeno_names $names)\" -- \"$cur\"))\n"
	"\tfi\n"
	"}\n"
	"complete -F _xeno xeno\n";

static void print_options(const char *list)
{
	const char *space = "";

	for (const struct option_row *o = option_rows; o->name; o++)
		if (listed(list, o->name) || listed(OPTIONS_OF_ALL, o->name)) {
			printf("%s--%s", space, o->name);
			space = " ";
		}
}

/* The column of a list that has what an argument may be. */
static const char *column_of(const char *noun)
{
	return listed("operation,token,account", noun) ? "id" : "name";
}

/* Its first argument is of a noun that has a list. */
static void print_names(const struct command *c)
{
	for (const struct noun *n = nouns; n->name; n++) {
		size_t length = strlen(n->name);

		if (strncasecmp(c->arguments, n->name, length) == 0 &&
		    (!c->arguments[length] || c->arguments[length] == ' ') &&
		    command_find(n->name, "list"))
			printf("\t\tnames='%s %s'\n", n->name,
			       column_of(n->name));
	}
}

static void print_verbs(const char *noun)
{
	const char *space = "";

	printf("\t'%s ')\n\t\tCOMPREPLY=($(compgen -W '", noun);
	for (const struct command *c = commands; c->noun; c++)
		if (strcmp(c->noun, noun) == 0 && *c->verb) {
			printf("%s%s", space, c->verb);
			space = " ";
		}
	printf("' -- \"$cur\"))\n\t\treturn ;;\n");
}

enum status run_completion(struct call *c)
{
	const char *space = "";

	(void)c;
	fputs(head, stdout);
	printf("\t' ')\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct noun *n = nouns; n->name; n++) {
		printf("%s%s", space, n->name);
		space = " ";
	}
	printf("' -- \"$cur\"))\n\t\treturn ;;\n");
	for (const struct noun *n = nouns; n->name; n++)
		if (!command_find(n->name, NULL))
			print_verbs(n->name);
	for (const struct command *m = commands; m->noun; m++) {
		printf("\t'%s %s')\n\t\toptions='", m->noun, m->verb);
		print_options(m->options);
		printf("'\n");
		print_names(m);
		printf("\t\t;;\n");
	}
	fputs(tail, stdout);
	return STATUS_OK;
}
