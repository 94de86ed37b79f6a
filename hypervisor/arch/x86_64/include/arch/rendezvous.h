/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holding all other CPUs at a point where they have no lock and are in the
 * middle of nothing: on their way to a guest, or idle. For debug builds.
 */
#ifndef ARCH_RENDEZVOUS_H
#define ARCH_RENDEZVOUS_H

/* From a point of that kind; returns when all others wait. */
void cpus_stop(void);
void cpus_resume(void);

/* Called at such points: waits while another CPU holds us. */
#ifdef XENO_DEBUG
void rendezvous_point(void);
#else
static inline void rendezvous_point(void)
{
}
#endif

#endif
