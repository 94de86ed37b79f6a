/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.h - further domains of a test guest that is Domain 0.
 *
 * A child is a copy of the test's own image, text and initialised data, in
 * CHILD_PAGES pages of its own; it begins in a function of the test with all of
 * the library at hand and everything else zero. What it says by pass() and
 * fail() goes to its mailbox page, which Domain 0 reads by a foreign mapping.
 */
#ifndef XT_CHILD_H
#define XT_CHILD_H

#include <stdint.h>

#include <xen/domctl.h>
#include <xen/sysctl.h>

#include "xt.h"

#define CHILD_PAGES 1024U

struct child {
	u16 id;
	u64 mfn[CHILD_PAGES]; /* by its PFN */
};

extern bool is_child;
/* Free for the test's own use, after the first 256 bytes. */
extern u8 mailbox[PAGE_SIZE];
#define MAILBOX_TEXT 256

long domctl(struct xen_domctl *op);
/* One that has no argument but the domain. */
long domctl_on(u32 cmd, u16 domid);
long sysctl(struct xen_sysctl *op);

/* Creates a domain without memory; its id or a negative errno. */
long child_create(u16 wanted_id, u32 vcpus);
/* All steps up to a paused domain that will begin in fn. */
void child_build(struct child *c, void (*fn)(void));
void child_start(const struct child *c);
/* XEN_DOMINF_* flags, or ~0 when there is no such domain. */
u32 child_flags(u16 domid);
/* Until one of the flags is set (0: until it is no more); fails the test when
 * that takes too long. */
u32 child_wait(const struct child *c, u32 flags);
/* Waits for its shutdown; fails the test unless it said pass(). */
void child_passed(const struct child *c);
long child_destroy(const struct child *c);

/* Maps a frame of another domain at a VA whose tables exist. */
long map_foreign(void *va, u16 domid, u64 pte);
/* The child's page at the same address as this one of ours, mapped writable.
 * One at a time. */
void *child_page(const struct child *c, const void *va);
void child_page_done(void);

/* Frames in use in the whole machine, by XENO_OP_FRAMES. */
struct frame_counts {
	u64 free, domains, hypervisor;
};
struct frame_counts frame_counts(void);

#endif /* XT_CHILD_H */
