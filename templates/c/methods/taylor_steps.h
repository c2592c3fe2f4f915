/* Local error estimates of Taylor steps. */
#ifndef SYMLIE_TAYLOR_STEPS_H
#define SYMLIE_TAYLOR_STEPS_H

#include "taylor_lengths.h"

/* Compute theta of a part of a step: its size from v and f at both ends, or its value from their means if angles
 * depend on it. */
static inline void moved_by_piece(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, int order,
                                  const symlie_series *restrict begin, const symlie_series *restrict end, symlie_real *restrict theta)
{
    if (!HAS_ANGLES) {
        for (int k = 0; k < DIMENSION; k++) theta[k] = h * (begin->w_0[k] + end->w_0[k]) / 2;
        return;
    }
    ARRAY(mean, MOVED_SIZE);
    sum_means(MOVED_SIZE, order, begin->w, in_unit(begin, h), mean);
    const symlie_real *means = moved_vector(P, mean, theta);
    for (int k = 0; k < DIMENSION; k++) theta[k] = h * means[k];
}

/* Norm of the difference between the rates at the end of a series and those of the series that starts there; the
 * local error of theta and v is h/order times this difference. */
static inline symlie_real series_error(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, int order,
                                       const symlie_control *restrict control, const symlie_series *restrict begin,
                                       const symlie_series *restrict end, const symlie_real *restrict rate_q,
                                       const symlie_real *restrict rate_v, const symlie_real *restrict theta)
{
    ARRAY(rate, STORED_SIZE);
    ARRAY(acceleration, VELOCITY_SIZE);
    ARRAY(scale, DIMENSION);
    const symlie_real part = h / order, per_second = 1 / *end->unit;
    int first;
    for (int i = 0, count; (count = part_of_vector(P, 0, i, &first)) >= 0; i++)
        for (int k = first; k < first + count; k++) scale[k] = control->atol[k] + control->rtol[k] * fabs(theta[k]);
    for (int k = 0; k < MOVING_STORED; k++) rate[k] = part * (rate_q[k] - per_second * end->q[STORED_SIZE + k]);
    const symlie_real of_q = system_stored_size(P, rate, scale);
    if (!INTEGRATES_VELOCITIES) return of_q;
    for (int i = 0, count; (count = part_of_vector(P, 1, i, &first)) >= 0; i++)
        for (int k = first; k < first + count; k++) {
            const symlie_real a = fabs(begin->v_0[k]), b = fabs(end->v_0[k]);
            scale[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * (a > b ? a : b));
        }
    for (int k = 0; k < VELOCITY_SIZE; k++) acceleration[k] = part * (rate_v[k] - per_second * end->v[VELOCITY_SIZE + k]);
    const symlie_real of_v = system_velocity_size(P, control->weight + DIMENSION, acceleration, scale);
    return of_q > of_v ? of_q : of_v;
}

#endif
