/* SPDX-License-Identifier: Apache-2.0 */
/* Who needs the operator's files: domains name kernels and ramdisks as long as
 * they are there, and images until their disks are made. */
#ifndef STORE_IMAGE_ROWS_H
#define STORE_IMAGE_ROWS_H

#include "storage/images.h"
#include "store/db.h"

/* 1: somebody does; 0: nobody; -1: failed. */
int image_in_use(struct db *db, enum image_kind kind, const char *name,
		 struct error *err);

#endif
