/* Unit of time of the coefficients: a power of two in s near the length of a step, so that the terms of all orders
 * stay in the range of doubles for any unit system of the model. Products with the unit are exact, and no result
 * depends on it. */
#ifndef SYMLIE_TAYLOR_UNIT_H
#define SYMLIE_TAYLOR_UNIT_H

#include "taylor_series.h"

/* Largest power of two below a length; if the length is invalid, the previous unit. */
#if SYMLIE_LANES > 1
static inline symlie_real unit_near(symlie_real length, symlie_real before)
{
    const symlie_scalar least = 1 / (symlie_scalar)LARGEST_UNIT;
    const symlie_real power = (symlie_real)((symlie_mask)length & (0x7ffLL << 52));
    return SYMLIE_WHERE((length >= least) & (length <= (symlie_scalar)LARGEST_UNIT), power, before);
}
#else
static inline symlie_real unit_near(symlie_real length, symlie_real before)
{
    int power;
    if (!(length >= 1 / (symlie_real)LARGEST_UNIT && length <= (symlie_real)LARGEST_UNIT)) return before;
    frexp(length, &power);
    return ldexp(1, power - 1);
}
#endif

/* Largest coefficient of an order. */
static inline symlie_real order_size(const symlie_problem *restrict P, const symlie_series *restrict series, int k)
{
    symlie_real largest = SYMLIE_NUMBER(0);
    long long begin;
    for (int of_v = 0; of_v < 1 + INTEGRATES_VELOCITIES; of_v++) {
        const symlie_real *row = of_v ? series->v + k * VELOCITY_SIZE : series->q + k * STORED_SIZE;
        for (int i = 0, count; (count = part_of_row(P, of_v, i, &begin)) >= 0; i++) {
#if defined(UNWRAPPED) && !ORDERS_BESIDE
            if (!of_v) count -= UNWRAPPED;
#endif
            largest = largest_entry(count, row + begin, largest);
        }
    }
    return largest;
}

#if SYMLIE_LANES > 1
/* Return whether the last nonzero coefficients are far from the limits of doubles. */
static inline int is_in_range(const symlie_problem *restrict P, const symlie_series *restrict series, int order)
{
    const symlie_scalar most = LARGEST_COEFFICIENT;
    symlie_real size = SYMLIE_NUMBER(0);
    for (int k = order; k > 0 && SYMLIE_ANY(size == 0); k--) {
        const symlie_real of_order = order_size(P, series, k);
        size = SYMLIE_WHERE(size == 0, of_order, size);
    }
    return SYMLIE_ALL((size == 0) | ((size >= 1 / most) & (size <= most)));
}
#else
/* Exponent of the power of two by which coefficients grow per order if the last nonzero ones are near the limits of
 * doubles; otherwise zero. */
static inline int growth_beyond_range(const symlie_problem *restrict P, const symlie_series *restrict series, int order)
{
    const symlie_real most = LARGEST_COEFFICIENT;
    int overflows = 0;
    for (int k = order; k > 0; k--) {
        const symlie_real size = order_size(P, series, k);
        int power;
        if (size == 0) continue;
        if (!(size < (symlie_real)INFINITY)) {
            overflows = 1;
            continue;
        }
        if (!overflows && size >= 1 / most && size <= most) return 0;
        frexp(size, &power);
        return power / k;
    }
    return 0;
}
#endif

#endif
