// SPDX-License-Identifier: Apache-2.0
/* See tree.h. */
#include "libvirt/tree.h"

#include <ctype.h>
#include <inttypes.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <string.h>

/* Called before anything that the document declares is looked at. */
static void refuse_doctype(void *context, const xmlChar *name,
			   const xmlChar *external, const xmlChar *system)
{
	xmlParserCtxt *c = context;

	(void)name;
	(void)external;
	(void)system;
	*(bool *)c->_private = true;
	xmlStopParser(c);
}

static void say_nothing(void *context, const xmlError *error)
{
	(void)context;
	(void)error;
}

xmlDoc *tree_parse(const char *text, size_t bytes, struct error *err)
{
	xmlParserCtxt *c;
	bool doctype = false;
	const xmlError *why;
	xmlDoc *doc;

	library_begin();
	c = xmlNewParserCtxt();
	if (!c) {
		error_fill(err, ERR_SYSTEM, "no memory");
		return NULL;
	}
	c->_private = &doctype;
	c->sax->internalSubset = refuse_doctype;
	c->sax->serror = (xmlStructuredErrorFunc)say_nothing;
	doc = xmlCtxtReadMemory(c, text, (int)bytes, NULL, "UTF-8",
				XML_PARSE_NONET | XML_PARSE_NOERROR |
					XML_PARSE_NOWARNING |
					XML_PARSE_NOCDATA);
	why = xmlCtxtGetLastError(c);
	if (doctype)
		error_fill(err, ERR_INVALID, "a document type is not accepted");
	else if (!doc || !c->wellFormed)
		error_fill(err, ERR_INVALID, "no XML: line %d: %.*s",
			   why ? why->line : 0,
			   why && why->message
				   ? (int)strcspn(why->message, "\n")
				   : 0,
			   why && why->message ? why->message : "");
	if (doc && (doctype || !c->wellFormed)) {
		xmlFreeDoc(doc);
		doc = NULL;
	}
	xmlFreeParserCtxt(c);
	return doc;
}

static void path_of(const xmlNode *node, char *out, size_t out_bytes)
{
	xmlChar *path = xmlGetNodePath(node);

	snprintf(out, out_bytes, "%s", path ? (const char *)path : "/");
	xmlFree(path);
}

void tree_ignore(struct reading *r, const xmlNode *node)
{
	struct domain_import *out = r->out;

	if (out->ignored_count < XML_IGNORED_MAX)
		path_of(node, out->ignored[out->ignored_count++],
			XML_PATH_BYTES);
}

void tree_refuse(struct reading *r, const xmlNode *node, const char *limit)
{
	xmlChar *text = xmlNodeGetContent(node);
	const char *value = text ? (const char *)text : "";
	char path[XML_PATH_BYTES];

	path_of(node, path, sizeof(path));
	if (!value[strspn(value, " \t\r\n")])
		value = node->type == XML_ATTRIBUTE_NODE ? "empty" : "there";
	violation_add(r->v, value, limit, "%s", path);
	xmlFree(text);
}

void tree_no_such(struct reading *r, xmlNode *node)
{
	tree_refuse(r, node, "left out: a node has no such thing");
}

static bool trim(struct reading *r, xmlNode *node, xmlChar *text, char *out,
		 size_t out_bytes)
{
	const char *at = text ? (const char *)text : "";
	size_t length;
	char limit[48];
	bool fits;

	at += strspn(at, " \t\r\n");
	length = strlen(at);
	while (length && strchr(" \t\r\n", at[length - 1]))
		length--;
	fits = length < out_bytes;
	snprintf(out, out_bytes, "%.*s", (int)length, at);
	xmlFree(text);
	if (fits)
		return true;
	snprintf(limit, sizeof(limit), "up to %zu bytes", out_bytes - 1);
	tree_refuse(r, node, limit);
	*out = '\0';
	return false;
}

bool tree_text(struct reading *r, xmlNode *node, char *out, size_t out_bytes)
{
	return trim(r, node, xmlNodeGetContent(node), out, out_bytes);
}

bool tree_attribute(struct reading *r, xmlNode *node, const char *name,
		    char *out, size_t out_bytes)
{
	xmlAttr *attribute = xmlHasNsProp(node, BAD_CAST name, NULL);

	*out = '\0';
	return !attribute ||
	       trim(r, (xmlNode *)attribute,
		    xmlNodeGetContent((xmlNode *)attribute), out, out_bytes);
}

bool tree_number(struct reading *r, xmlNode *node, const char *text,
		 uint64_t *out)
{
	const char *p = text;

	*out = 0;
	for (; isdigit((unsigned char)*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (*out > (INT64_MAX - digit) / 10)
			break;
		*out = *out * 10 + digit;
	}
	if (p != text && !*p)
		return true;
	tree_refuse(r, node, "a whole number");
	return false;
}

bool tree_file(struct reading *r, xmlNode *node, const char *path,
	       const char *folder, char *out, size_t out_bytes)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t length = folder ? strlen(folder) : 0;

	if (strlen(name) >= out_bytes) {
		tree_refuse(r, node,
			    "the name of a file in the operator's "
			    "folder: up to 63 bytes");
		return false;
	}
	snprintf(out, out_bytes, "%s", name);
	if (slash && (!folder || length != (size_t)(slash - path) ||
		      memcmp(path, folder, length) != 0))
		tree_ignore(r, node);
	return true;
}

static bool among(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; *at; at += *at == ' ') {
		size_t here = strcspn(at, " ");

		if (here == length && memcmp(at, word, length) == 0)
			return true;
		at += here;
	}
	return false;
}

static void read_one(struct reading *r, xmlNode *node, const struct element *e)
{
	for (xmlAttr *a = node->properties; a; a = a->next)
		if (a->ns || !among(e->attributes, (const char *)a->name))
			tree_ignore(r, (xmlNode *)a);
	if (e->read)
		e->read(r, node);
}

static bool of_namespace(const xmlNode *node, const char *namespace)
{
	if (!namespace || !node->ns)
		return !namespace && !node->ns;
	return strcmp((const char *)node->ns->href, namespace) == 0;
}

void tree_read(struct reading *r, xmlNode *parent, const struct element *table,
	       const char *namespace)
{
	uint64_t seen = 0;

	for (xmlNode *n = parent->children; n; n = n->next) {
		const struct element *e = table;
		uint64_t bit;

		if (n->type != XML_ELEMENT_NODE)
			continue;
		while (e->name &&
		       (strcmp(e->name, (const char *)n->name) != 0 ||
			!of_namespace(n, namespace)))
			e++;
		if (!e->name) {
			tree_ignore(r, n);
			continue;
		}
		bit = UINT64_C(1) << (e - table);
		if (seen & bit && !e->many)
			tree_refuse(r, n, "there once at most");
		else
			read_one(r, n, e);
		seen |= bit;
	}
}
