/* SPDX-License-Identifier: Apache-2.0 */
/* What a variable owns is given back when it goes out of scope; TAKE hands
 * ownership on. */
#ifndef UTIL_AUTO_CLEANUP_H
#define UTIL_AUTO_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define auto_free __attribute__((cleanup(cleanup_free)))
#define auto_close __attribute__((cleanup(cleanup_close)))

#define TAKE(p)                                                                \
	({                                                                     \
		__typeof__(p) taken_ = (p);                                    \
		(p) = NULL;                                                    \
		taken_;                                                        \
	})

#endif
