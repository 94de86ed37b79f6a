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

enum status run_help(struct call *c);
enum status run_completion(struct call *c);
enum status run_manual(struct call *c);

#endif
