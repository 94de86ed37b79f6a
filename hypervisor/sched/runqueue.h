/* SPDX-License-Identifier: Apache-2.0 */
/* What sched.c shows to the policies; the run-queue lock is held. */
#ifndef SCHED_RUNQUEUE_H
#define SCHED_RUNQUEUE_H

#include <hv/sched.h>

unsigned int runqueue_cpus(void);
/* NULL: that CPU idles. */
struct sched_unit *runqueue_running(unsigned int cpu);

#endif
