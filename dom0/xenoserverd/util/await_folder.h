/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for a folder that comes with a file system that is yet to be mounted.
 */
#ifndef UTIL_AWAIT_FOLDER_H
#define UTIL_AWAIT_FOLDER_H

#include "util/error.h"

/* Until there is the folder that the file of that path is in, or is to be in.
 * It has to be there as soon as it is mounted. */
int await_folder_of(const char *path, struct error *err);

#endif
