/* Unwrapped angles along a series. */
#ifndef SYMLIE_TAYLOR_TURNS_H
#define SYMLIE_TAYLOR_TURNS_H

#include "taylor_sums.h"

#ifdef UNWRAPPED
#define STORED_TURNS UNWRAPPED

/* Store the unwrapped angles at a given length in the configuration q, following the polynomial in increments of
 * about one radian. */
static inline void follow_turns(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length, int order,
                                const symlie_series *restrict series, symlie_real *restrict q, const symlie_real *restrict v)
{
    ARRAY(rate, UNWRAPPED);
    ARRAY(end_rate, UNWRAPPED);
    ARRAY(angle, UNWRAPPED);
    ARRAY(stored, STORAGE);
    ARRAY(moved, STORAGE);
    ARRAY(sum, STORED_SIZE);
    system_unwrapped_rate(P, t, series->q_0, series->v_0, rate);
    system_unwrapped_rate(P, t + length, q, v, end_rate);
    symlie_real turns = 0;
    for (int k = 0; k < UNWRAPPED; k++) turns = fmax(turns, length * fmax(fabs(rate[k]), fabs(end_rate[k])));
    const int parts = 1 + (int)fmin(turns, MOST_PARTS);
    for (int k = 0; k < UNWRAPPED; k++) angle[k] = series->q_0[STORAGE - UNWRAPPED + k];
    for (int i = 1; i < parts; i++) {
        sum_stored(P, order, series, in_unit(series, i * length / parts), sum, 0);
        system_normalize(P, stored_vector(P, sum, stored), moved);
        copy(UNWRAPPED, angle, moved + STORAGE - UNWRAPPED);
        system_unwrapped(P, t + i * length / parts, moved, angle);
    }
    copy(UNWRAPPED, angle, q + STORAGE - UNWRAPPED);
    system_unwrapped(P, t + length, q, angle);
    copy(UNWRAPPED, angle, q + STORAGE - UNWRAPPED);
}
#else
#define STORED_TURNS 0

static inline void follow_turns(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length, int order,
                                const symlie_series *restrict series, symlie_real *restrict q, const symlie_real *restrict v)
{
    (void)P, (void)work, (void)t, (void)length, (void)order, (void)series, (void)q, (void)v;
}
#endif

#endif
