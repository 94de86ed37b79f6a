// SPDX-License-Identifier: Apache-2.0
/* See records.h. A file is one line of numbers, and the configuration. */
#include "serve/records.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/durable_file.h"
#include "util/log.h"
#include "util/strbuf.h"

#define PATH_BYTES 512
#define SUFFIX ".domain"
/* xeno-dom-record STATE ID CREATED_S */
#define HEAD "xeno-dom-record %u %" PRIu32 " %" PRId64 "\n"
#define HEAD_SCAN "xeno-dom-record %u %" SCNu32 " %" SCNd64

int records_open(const char *folder, struct error *err)
{
	if (mkdir(folder, 0700) && errno != EEXIST)
		return error_set(err, ERR_SYSTEM, "folder %s: %s", folder,
				 strerror(errno));
	return 0;
}

static void path_of(char path[PATH_BYTES], const char *folder, const char *name,
		    const char *suffix)
{
	snprintf(path, PATH_BYTES, "%s/%s%s", folder, name, suffix);
}

int record_write(const char *folder, const char *name, const struct record *r,
		 struct error *err)
{
	struct strbuf file = { .text = NULL };
	char path[PATH_BYTES];
	int rc;

	path_of(path, folder, name, SUFFIX);
	strbuf_add(&file, HEAD "%s", (unsigned int)r->state, r->id,
		   r->created_s, r->text);
	rc = durable_file_replace(path, file.text, file.length, err);
	strbuf_clear(&file);
	if (rc)
		error_prefix(err, "record");
	return rc;
}

void record_remove(const char *folder, const char *name)
{
	char path[PATH_BYTES];

	path_of(path, folder, name, SUFFIX);
	unlink(path);
}

static int read_one(const char *path, struct record *r)
{
	char line[128];
	unsigned int state;
	size_t count = 0;
	FILE *f = fopen(path, "re");

	r->text = NULL;
	if (!f)
		return -1;
	/* We wrote it, with these types. */
	if (fgets(line, sizeof(line), f) &&
	    /* NOLINTNEXTLINE(cert-err34-c) */
	    sscanf(line, HEAD_SCAN, &state, &r->id, &r->created_s) == 3)
		r->text = malloc(RECORD_TEXT_MAX);
	if (r->text)
		count = fread(r->text, 1, RECORD_TEXT_MAX - 1, f);
	fclose(f);
	if (!r->text || state > RECORD_RESTARTING)
		return -1;
	r->text[count] = '\0';
	r->state = state;
	return 0;
}

static bool is_record(const char *file)
{
	size_t length = strlen(file), end = sizeof(SUFFIX) - 1;

	return length > end && strcmp(file + length - end, SUFFIX) == 0;
}

int records_read(const char *folder,
		 void (*found)(void *context, const struct record *r),
		 void *context, struct error *err)
{
	char path[PATH_BYTES];
	struct dirent **files;
	struct record r;
	int count = scandir(folder, &files, NULL, alphasort);

	if (count < 0)
		return error_set(err, ERR_SYSTEM, "folder %s: %s", folder,
				 strerror(errno));
	for (int i = 0; i < count; i++) {
		path_of(path, folder, files[i]->d_name, "");
		if (is_record(files[i]->d_name)) {
			if (read_one(path, &r) == 0) {
				found(context, &r);
			} else {
				free(r.text);
				log_warning(
					"op=record file=%s message=\"no record\"",
					path);
			}
		}
		free(files[i]);
	}
	free(files);
	return 0;
}
