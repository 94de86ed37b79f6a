/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of borrowed virtual time; integers only, no state.
 *
 * A unit of weight w that runs t nanoseconds advances by t * BVT_SCALE / w
 * virtual units. The remainder of that division is kept and enters the next
 * one, so any number of charges sums up exactly. The scale is chosen so that
 * the lightest unit, always running, takes 142 years to fill 64 bits, and one
 * virtual unit is at most 16 ns of real time.
 */
#ifndef SCHED_BVT_MATH_H
#define SCHED_BVT_MATH_H

#include <stdint.h>

#define BVT_SCALE 4096U
#define BVT_WEIGHT_UNIT 256U /* virtual ns are real ns at this weight */
/* Virtual time starts high enough to subtract the longest warp. */
#define BVT_ORIGIN ((uint64_t)1 << 46)

/* weight < 2^16 and *rest < weight, so nothing here exceeds 64 bits. */
static inline void bvt_charge(uint64_t *avt, uint32_t *rest, uint64_t ran_ns,
			      uint32_t weight)
{
	uint64_t whole = ran_ns / weight;
	uint64_t part = (ran_ns % weight) * BVT_SCALE + *rest;

	*avt += whole * BVT_SCALE + part / weight;
	*rest = (uint32_t)(part % weight);
}

/* Virtual length of a real duration below an hour, rounded down. */
static inline uint64_t bvt_virtual(uint64_t ns, uint32_t weight)
{
	return ns * BVT_SCALE / weight;
}

/* Least real time in which weight advances by at least `units`; saturates. */
static inline uint64_t bvt_real_ns(uint64_t units, uint32_t weight)
{
	uint64_t high = units / BVT_SCALE;
	uint64_t low = units % BVT_SCALE;

	if (high >= UINT64_MAX / weight)
		return UINT64_MAX;
	return high * weight + (low * weight + BVT_SCALE - 1) / BVT_SCALE;
}

static inline uint64_t bvt_warp(uint64_t warp_ns)
{
	return warp_ns * (BVT_SCALE / BVT_WEIGHT_UNIT);
}

/* How long a unit at virtual time e1 may run until it is a context-switch
 * allowance beyond the best waiting one at e2. */
static inline uint64_t bvt_slice_ns(uint64_t e1, uint64_t e2,
				    uint64_t allowance_ns, uint32_t weight)
{
	uint64_t end = e2 + bvt_virtual(allowance_ns, weight);

	return end > e1 ? bvt_real_ns(end - e1, weight) : 0;
}

#endif
