/* Detect fixed steps beyond the radius of convergence of their series. Terms that do not decrease are only an
 * indication, since the first nonzero terms may have high orders. The step must also fail, or the rates at its end
 * must disagree with those of the series. */
#ifndef SYMLIE_TAYLOR_CONVERGENCE_H
#define SYMLIE_TAYLOR_CONVERGENCE_H

#include "taylor_sums.h"

/* Largest component of the terms of three orders for a given step length. */
static inline symlie_real largest_term(const symlie_problem *restrict P, int are_velocities, const symlie_series *restrict series, int first, symlie_real h)
{
    const symlie_real s = in_unit(series, h);
    symlie_real largest = SYMLIE_NUMBER(0), power = whole_power(s, first);
    for (int k = first; k < first + LAST_TERMS; k++, power *= s) {
        const symlie_real *row = are_velocities ? series->v + k * VELOCITY_SIZE : series->q + k * STORED_SIZE;
        symlie_real of_row = SYMLIE_NUMBER(0);
        long long begin;
        for (int i = 0, count; (count = part_of_row(P, are_velocities, i, &begin)) >= 0; i++) of_row = largest_entry(count, row + begin, of_row);
        const symlie_real term = SYMLIE_WHERE(of_row == 0, of_row, of_row * power);
        largest = SYMLIE_WHERE(term <= largest, largest, term);
    }
    return largest;
}

static inline int terms_fall(const symlie_problem *restrict P, int are_velocities, int order, const symlie_series *restrict series, symlie_real h)
{
    const symlie_real last = largest_term(P, are_velocities, series, order - LAST_TERMS + 1, h);
    const symlie_real first = largest_term(P, are_velocities, series, 1, h);
    const symlie_real middle = largest_term(P, are_velocities, series, order / 2 - 1, h);
    return SYMLIE_ALL((last == 0) | (last < TERMS_FALL * fmin(first, middle)));
}

/* Return whether a series appears to converge for a given step length: its last terms are clearly smaller than its
 * first terms and its middle terms. */
static inline int seems_to_converge(const symlie_problem *restrict P, int order, symlie_real h, const symlie_series *restrict series)
{
    return terms_fall(P, 0, order, series, h) && terms_fall(P, 1, order, series, h);
}

#endif
