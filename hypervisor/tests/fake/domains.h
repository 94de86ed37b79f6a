/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Domains for hosted tests of the rooms that use them, on the fake machine
 * with the real memory management, and kicks are recorded. What domain/ does is
 * replaced by the least that works (domains.c), or is real but for the
 * machine's part of a vCPU and the dispatcher (real_domains.c).
 */
#ifndef FAKE_DOMAINS_H
#define FAKE_DOMAINS_H

#include <hv/domain.h>

#define FAKE_DOMAINS 8

/* A machine of that size, all memory but the first frame given to the
 * allocator. Later calls in the same program keep the first one's machine. */
void fake_machine_init(u64 frames, unsigned int cpus);
/* Checks that everything allocated since init is free and no lock held. */
void fake_machine_exit(void);

/* A domain with its events and grants; all memory checks abort on failure. */
struct domain *fake_domain_create(u16 id, u32 vcpus, bool privileged);
/* Tear-down in the order of the contracts; false: others still use it. */
bool fake_domain_destroy(struct domain *d);
/* Whom the thread plays. */
void fake_become(struct domain *d, u32 vcpu);

/* An allocated frame of d's memory; machine frame number. */
u64 fake_frame(struct domain *d);
/* Four levels of tables, pinned, loaded as kernel_cr3 of every vCPU: maps
 * virtual page i (i < 512) at FAKE_VA + i * PAGE_SIZE. Returns the machine
 * address of the first level-1 entry; entries start empty. */
#define FAKE_VA 0x40000000UL
u64 fake_tables(struct domain *d);

/* vcpu_kick's record. */
void fake_kicked(const struct vcpu *v);
u64 fake_kicks(const struct vcpu *v);
void fake_kicks_clear(void);
extern unsigned int fake_yields; /* vcpu_yield_current's */

#endif
