/* SPDX-License-Identifier: Apache-2.0 */
/* Memory needed only during one piece of boot work; there is no free: the
 * owner gives all of it back when the work is done. */
#ifndef HV_SCRATCH_H
#define HV_SCRATCH_H

#include <hv/types.h>

struct scratch {
	/* size_bytes of zeroed memory aligned to 64 bytes, or NULL. */
	void *(*alloc)(void *ctx, size_t size_bytes);
	void *ctx;
};

#endif
