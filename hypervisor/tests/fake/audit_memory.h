/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of an audit of so many frames. There are copies of a few tables
 * only, so that audits meet tables without one. */
#ifndef FAKE_AUDIT_MEMORY_H
#define FAKE_AUDIT_MEMORY_H

#include <hv/audit.h>

#define AUDIT_COPIES 6

#define AUDIT_MEMORY(name, frame_count)                                        \
	static struct audit_frame name##_frames[frame_count];                  \
	static struct audit_table name##_tables[frame_count];                  \
	static u64 name##_copies[AUDIT_COPIES * 512];                          \
	static struct audit_memory name = { .frames = name##_frames,           \
					    .tables = name##_tables,           \
					    .copies = name##_copies,           \
					    .copy_count = AUDIT_COPIES }

#endif
