/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for operations, and what commands that ask share. */
#ifndef CLI_WAIT_H
#define CLI_WAIT_H

#include "request.h"

/* Until the `operation` of an answer is finished; then that and what it was
 * about are put anew into the answer. */
enum status wait_for_answer(const struct call *c, json_t *answer);

/* run.c */
/* The request that the command is; *out as below. */
enum status ask_command(struct call *c, json_t **out);
struct layout layout_of(const struct call *c);
void print(const struct call *c, json_t *value);
/* Whether the request is to be shown only: then it was. */
bool show_request(const struct call *c, const struct request *r);
/* *out: for json_decref, NULL if the answer is empty, or when it is not
 * STATUS_OK, and it was said why. */
enum status ask(const struct call *c, struct request *r, json_t **out);

#endif
