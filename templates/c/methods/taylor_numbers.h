/* Operations on numbers that differ between one member and several members in SIMD lanes:
 *
 *   unit_near(length, before)                  largest power of two below a length; if the length is invalid, `before`
 *   of_few_digits(h)                           h rounded down to few digits; the last terms do not determine more
 *   bounded_step(is_near, h, shrinks, unit, size, n)  a bound h on the step size, in s, reduced if one of the last
 *                                              terms, up to order n, exceeds its tolerance; with lanes and is_near by
 *                                              approximate roots, which need no function calls
 *   weighted_squares(size, weight, row, inverse)  sum of weighted squares of products; the number of partial sums is
 *                                              the width of a register
 *   growth_beyond_range(P, series, order)      exponent of the power of two by which coefficients grow per order if the
 *                                              last nonzero ones are near the limits of doubles, otherwise zero; with
 *                                              lanes 1 instead of the exponent
 *
 * The unit of time of the coefficients is a power of two in s near the length of a step, so that the terms of all orders
 * stay in the range of doubles for any unit system of the model. Products with the unit are exact, and no result
 * depends on it. */
#ifndef SYMLIE_TAYLOR_NUMBERS_H
#define SYMLIE_TAYLOR_NUMBERS_H

#include "taylor_turns.h"

/* Largest coefficient of an order. */
static inline symlie_real order_size(const symlie_problem *restrict P, const symlie_series *restrict series, int k)
{
    symlie_real largest = SYMLIE_NUMBER(0);
    long long begin;
    for (int of_v = 0; of_v < 1 + INTEGRATES_VELOCITIES; of_v++) {
        const symlie_real *row = of_v ? series->v + k * VELOCITY_SIZE : series->q + k * STORED_SIZE;
        for (int i = 0, count; (count = part_of_row(P, of_v, i, &begin)) >= 0; i++) {
            if (!of_v && !ORDERS_BESIDE) count -= STORED_TURNS;
            largest = largest_entry(count, row + begin, largest);
        }
    }
    return largest;
}

/* x^(-1/n) units of time, in s; the result is bitwise independent of the unit. */
static inline symlie_scalar root_in_seconds(symlie_scalar x, int n, symlie_scalar unit)
{
    int power, of_unit;
    if (!(x < (symlie_scalar)INFINITY)) return unit * pow(x, -1 / (symlie_scalar)n);
    const symlie_scalar part = frexp(x, &power);
    frexp(unit, &of_unit);
    power -= (of_unit - 1) * n;
    const int whole = power / n;
    return ldexp(pow(ldexp(part, power - whole * n), -1 / (symlie_scalar)n), -whole);
}

#if SYMLIE_LANES > 1
#include "taylor_of_lanes.h"
#else
#include "taylor_of_one.h"
#endif

#endif
