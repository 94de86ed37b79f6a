/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the audit share: who holds a frame. Private to mm/. */
#ifndef MM_AUDIT_COUNT_H
#define MM_AUDIT_COUNT_H

#include <hv/audit.h>

#include "frame_inline.h"

/* audit.c: one more or less that holds mfn. hold: how many errors. */
int audit_hold(struct audit_memory *m, u64 mfn, enum frame_type type,
	       const char *what, u64 where);
void audit_drop(struct audit_memory *m, u64 mfn, enum frame_type type);

/* audit_tables.c */
void audit_table_join(struct audit_memory *m, u64 mfn);
void audit_table_leave(struct audit_memory *m, u64 mfn);
/* Finds what changed and takes it off; then adds what is there now. In this
 * order, as a frame may have passed from one type to another. */
int audit_tables_drop(struct audit_memory *m);
int audit_tables_hold(struct audit_memory *m);
/* Takes off what cannot be remembered. */
void audit_tables_end(struct audit_memory *m);

static inline bool audit_is_table(u64 ref)
{
	enum frame_type type = frame_type(ref);

	return type >= FRAME_L1 && type <= FRAME_L4 && frame_tcount(ref);
}

#endif
