// SPDX-License-Identifier: Apache-2.0
/* A file as the body of a request, whatever its size. */
#include <stdio.h>
#include <unistd.h>

#include "run.h"
#include "wait.h"

enum status run_upload(struct call *c)
{
	enum status status = STATUS_OK;
	json_t *value = NULL;
	struct request r;

	if (request_make(&r, c))
		return STATUS_USAGE;
	r.upload_path = c->words[1];
	request_add_header(&r, "Content-Type: application/octet-stream");
	if (c->settings.fresh)
		request_add_header(&r, "If-None-Match: *");
	if (access(r.upload_path, R_OK)) {
		perror(r.upload_path);
		request_clear(&r);
		return STATUS_USAGE;
	}
	if (!show_request(c, &r))
		status = ask(c, &r, &value);
	if (value)
		print(c, value);
	json_decref(value);
	request_clear(&r);
	return status;
}
