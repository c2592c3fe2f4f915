/* Step sizes of Taylor series: the last terms of a step have the size of the tolerance. */
#ifndef SYMLIE_TAYLOR_LENGTHS_H
#define SYMLIE_TAYLOR_LENGTHS_H

#include "taylor_numbers.h"

/* Longest step size for which the last terms are within the tolerance. */
static inline symlie_real longest_of_terms(const int is_near, const symlie_problem *restrict P, symlie_real *restrict work,
                                           const symlie_control *restrict control, const symlie_series *restrict series)
{
    ARRAY(of_theta, DIMENSION);
    ARRAY(of_v, DIMENSION);
    const int order = (int)control->order;
    const symlie_scalar shrinks = pow(control->tolerance, 1 / (symlie_scalar)order), endless = (symlie_scalar)INFINITY;
    const symlie_real none = SYMLIE_NUMBER(0), most = SYMLIE_NUMBER(control->h_max);
    symlie_real h = SYMLIE_NUMBER(endless), size[LAST_TERMS];
    int begin;
    for (int i = 0, count; (count = part_of_vector(P, 1, i, &begin)) >= 0; i++)
        for (int k = begin; k < begin + count; k++) of_v[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v_0[k]));
    for (int i = 0; INTEGRATES_VELOCITIES && i < LAST_TERMS; i++)
        size[i] = control->tolerance * system_velocity_size(P, control->weight + DIMENSION, series->v + (order - i) * VELOCITY_SIZE, of_v);
    if (INTEGRATES_VELOCITIES) h = bounded_step(is_near, h, shrinks, *series->unit, size, order);
    const symlie_real span = SYMLIE_WHERE(h < most, h, most);
    const symlie_real way = SYMLIE_WHERE(span < endless, span, none);
    for (int i = 0, count; (count = part_of_vector(P, 0, i, &begin)) >= 0; i++)
        for (int k = begin; k < begin + count; k++) of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w_0[k]) * way;
    for (int i = 0; i < LAST_TERMS; i++)
        size[i] = control->tolerance * system_stored_size(P, series->q + (order - i) * STORED_SIZE, of_theta);
    return bounded_step(is_near, h, shrinks, *series->unit, size, order);
}

/* Compute the same bound, rounded to few digits; lanes with a result that depends on the accuracy of the roots use
 * exact ones. */
static inline symlie_real longest_step(const symlie_problem *restrict P, symlie_real *restrict work,
                                       const symlie_control *restrict control, const symlie_series *restrict series)
{
    if (SYMLIE_LANES > 1) {
        const symlie_real near = longest_of_terms(1, P, work, control, series), least = of_few_digits(near * (1 - NEAR_ROOT));
        if (SYMLIE_ALL(least == of_few_digits(near * (1 + NEAR_ROOT)))) return least;
    }
    return of_few_digits(longest_of_terms(0, P, work, control, series));
}

#endif
