// SPDX-License-Identifier: Apache-2.0
/* The manual page in mdoc(7), from the tables. */
#include <stdio.h>
#include <string.h>

#include "run.h"

static const char head[] =
	".Dd December 1, 2026\n"
	".Dt XENO 1\n"
	".Os\n"
	".Sh NAME\n"
	".Nm xeno\n"
	".Nd ask a XenoServer node over its REST API\n"
	".Sh SYNOPSIS\n"
	".Nm\n"
	".Ar noun verb\n"
	".Op Ar argument ...\n"
	".Op Ar option ...\n"
	".Sh DESCRIPTION\n"
	"The node here is asked through its Unix socket, another one under its\n"
	"URL with a token.\n"
	"Each command is one request of the API, and\n"
	".Fl Fl show-request\n"
	"prints it as a\n"
	".Xr curl 1\n"
	"command instead of sending it; a token is not in it, but taken from\n"
	"where it came from.\n"
	".Pp\n"
	"Requests that create something or act carry an idempotency key, and are\n"
	"repeated with it when the connection is lost: they are done once at\n"
	"most.\n"
	"Changes and removals apply to whatever version there is, unless\n"
	".Fl Fl if-version\n"
	"names one.\n"
	".Pp\n"
	"Sizes are in bytes, or with K, M, G, T, which are powers of 1024.\n"
	"Words may be in any order; options of all commands may come first, too.\n";

static const char forms[] =
	".Sh OUTPUT\n"
	"JSON and YAML are the whole answer of the API, with all pages of a list\n"
	"in one.\n"
	"Tables are for people: sizes are short, control characters are points,\n"
	"and - is nothing.\n"
	"CSV has the same columns with whole values; quotes are those of\n"
	"RFC 4180.\n"
	".Fl Fl columns\n"
	"takes other members of the answer, by their paths.\n"
	"Errors go to standard error, with each field that is wrong and its\n"
	"limit; with\n"
	".Fl o Cm json\n"
	"as the problem document itself.\n";

static const char environment[] = ".Sh ENVIRONMENT\n"
				  ".Bl -tag -width XENO_TOKEN_FILE\n"
				  ".It Ev XENO_URL\n"
				  "for\n"
				  ".Fl Fl url\n"
				  ".It Ev XENO_SOCKET\n"
				  "for\n"
				  ".Fl Fl socket\n"
				  ".It Ev XENO_TOKEN\n"
				  "for\n"
				  ".Fl Fl token\n"
				  ".It Ev XENO_TOKEN_FILE\n"
				  "for\n"
				  ".Fl Fl token-file\n"
				  ".It Ev XENO_CACERT\n"
				  "for\n"
				  ".Fl Fl cacert\n"
				  ".El\n"
				  ".Sh FILES\n"
				  ".Bl -tag -width Ds\n"
				  ".It Pa /run/xenoserver/api.sock\n"
				  "the node's Unix socket\n"
				  ".El\n";

static const char tail[] =
	".Sh EXAMPLES\n"
	"A domain with a disk and an address, and all there is to know of it:\n"
	".Bd -literal -offset indent\n"
	"xeno domain create web1 -k vmlinuz --ramdisk initrd -m 128M \\e\n"
	"    -d xvda,size=1G,image=debian -n ip=10.0.2.101 \\e\n"
	"    --label env=prod --wait\n"
	"xeno domain show web1 -o yaml\n"
	".Ed\n"
	".Pp\n"
	"All running domains with a label, for a spreadsheet:\n"
	".Bd -literal -offset indent\n"
	"xeno domain list --state running -l env=prod -o csv\n"
	".Ed\n"
	".Pp\n"
	"Another node:\n"
	".Bd -literal -offset indent\n"
	"export XENO_URL=https://node.example:8440\n"
	"export XENO_TOKEN_FILE=~/.xeno-token XENO_CACERT=node.pem\n"
	"xeno event follow\n"
	".Ed\n"
	".Sh SEE ALSO\n"
	".Xr curl 1\n";

static const struct {
	enum status status;
	const char *meaning;
} statuses[] = {
	{ STATUS_OK, "it is done, or accepted" },
	{ STATUS_FAILED,
	  "refused for another reason, or the operation failed" },
	{ STATUS_USAGE, "what was typed makes no sense; nothing was sent" },
	{ STATUS_NOT_FOUND, "there is no such thing, or none for you" },
	{ STATUS_CONFLICT, "not in its state, or its version is another" },
	{ STATUS_DENIED, "no valid token, or not for its role" },
	{ STATUS_NO_ROOM, "admission has refused it" },
	{ STATUS_TIMEOUT, "not finished in time; the operation goes on" },
	{ STATUS_UNREACHABLE, "nobody answers" },
	{ STATUS_NODE_FAILED, "the node has failed" },
	{ STATUS_NOT_VERIFIED, "what was to be verified is wrong" },
};

/* As running text: what roff would take for its own is escaped. */
static void print_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			fputc(*text, stdout);
	fputc('\n', stdout);
}

static void print_options(const char *list)
{
	for (const struct option_row *o = option_rows; o->name; o++) {
		if (!listed(list, o->name))
			continue;
		printf(".It ");
		if (o->letter)
			printf("Fl %c , ", o->letter);
		printf("Fl Fl %s", o->name);
		if (o->argument)
			printf(" Ar %s", o->argument);
		printf("\n");
		print_text(o->help);
	}
}

static void print_command(const struct command *c)
{
	const char *at = c->arguments;

	printf(".It Cm %s", c->noun);
	if (*c->verb)
		printf(" Cm %s", c->verb);
	for (; *at; at += *at == ' ') {
		size_t length = strcspn(at, " ");
		bool optional = *at == '[';

		printf(" %s %.*s", optional ? "Op Ar" : "Ar",
		       (int)length - 2 * optional, at + optional);
		at += length;
		if (optional && *at)
			printf(" ");
	}
	printf("\n");
	print_text(c->summary);
	if (!*c->options)
		return;
	printf(".Bl -tag -width Ds -compact\n");
	print_options(c->options);
	printf(".El\n");
}

enum status run_manual(struct call *c)
{
	(void)c;
	fputs(head, stdout);
	printf(".Sh COMMANDS\n.Bl -tag -width Ds\n");
	for (const struct command *m = commands; m->noun; m++)
		print_command(m);
	printf(".El\n.Sh OPTIONS\nThese are for all commands.\n"
	       ".Bl -tag -width Ds\n");
	print_options(OPTIONS_OF_ALL);
	printf(".El\n");
	fputs(forms, stdout);
	fputs(environment, stdout);
	printf(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n");
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		printf(".It %d\n%s\n", (int)statuses[i].status,
		       statuses[i].meaning);
	printf(".El\n");
	fputs(tail, stdout);
	return STATUS_OK;
}
