/* SPDX-License-Identifier: Apache-2.0 */
/* What commands do. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "command.h"

enum status run_show(struct call *c);
/* The answer as it is, in whatever form is asked for. */
enum status run_text(struct call *c);
/* All pages of a list, up to the limit. */
enum status run_list(struct call *c);
/* POST, PATCH and DELETE; waits for the operation if it has to. */
enum status run_send(struct call *c);
enum status run_wait(struct call *c);
enum status run_follow(struct call *c);
/* A statement; a table of its lines has the total below. */
enum status run_bill(struct call *c);
/* The lines of a statement in words. */
enum status run_explain(struct call *c);
/* Fails if what it tells of is not good. */
enum status run_verify(struct call *c);
/* attach.c: both ways. */
enum status run_attach(struct call *c);
/* upload.c: a file as it is. */
enum status run_upload(struct call *c);
/* rules.c: with their numbers; one rule more, or one less, unless others change
 * them meanwhile. */
enum status run_rule_list(struct call *c);
enum status run_rule_add(struct call *c);
enum status run_rule_delete(struct call *c);
enum status run_help(struct call *c);
enum status run_completion(struct call *c);
enum status run_manual(struct call *c);

#endif
