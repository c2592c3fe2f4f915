/* How long steps of series may be, and what they add to errors. */
#ifndef SYMLIE_TAYLOR_STEPS_H
#define SYMLIE_TAYLOR_STEPS_H

#include "taylor_sums.h"

/* Norm of v times numbers, one over what the tolerances allow. */
static inline symlie_real velocity_size(const symlie_problem *restrict P, const symlie_control *restrict control,
                                        const symlie_real *restrict x, const symlie_real *restrict inverse)
{
    const symlie_scalar *restrict weight = control->weight + DIMENSION;
    symlie_real sum = 0;
    int k = 0;
#if JET_WIDTH > 1
    symlie_row squares = NO_PRODUCTS;
    for (; k + JET_WIDTH <= DIMENSION; k += JET_WIDTH) {
        const symlie_row part = row_at(x + k) * row_at(inverse + k);
        squares += row_at(weight + k) * part * part;
    }
    for (int i = 0; i < JET_WIDTH; i++) sum += squares[i];
#endif
    for (; k < DIMENSION; k++) sum += weight[k] * (x[k] * inverse[k]) * (x[k] * inverse[k]);
    return sqrt(sum);
}

/* A bound h on the length of steps becomes less where a term of order n is larger than it allows. */
static inline symlie_real bounded_step(symlie_real h, symlie_real shrinks, symlie_real size, int n)
{
    return size * whole_power(h / shrinks, n) > 1 ? shrinks * pow(size, -1 / (symlie_real)n) : h;
}

/* The length of the longest step from which the last terms can be left out. */
static inline symlie_real longest_step(const symlie_problem *restrict P, symlie_real *restrict work,
                                       const symlie_control *restrict control, const symlie_series *restrict series)
{
    ARRAY(of_theta, DIMENSION);
    ARRAY(of_v, DIMENSION);
    ARRAY(of_row, STORAGE + DIMENSION);
    const int order = (int)control->order;
    const symlie_real shrinks = pow(control->tolerance, 1 / (symlie_real)order);
    symlie_real h = (symlie_real)INFINITY;
    for (int k = 0; k < DIMENSION; k++) of_v[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * fabs(series->v_0[k]));
    for (int i = order; INTEGRATES_VELOCITIES && i > order - LAST_TERMS; i--)
        h = bounded_step(h, shrinks, control->tolerance * velocity_size(P, control, velocity_vector(P, series->v + i * VELOCITY_SIZE, of_row), of_v), i);
    const symlie_real span = h < control->h_max ? h : control->h_max;
    for (int k = 0; k < DIMENSION; k++)
        of_theta[k] = control->atol[k] + control->rtol[k] * fabs(series->w_0[k]) * (span < (symlie_real)INFINITY ? span : 0);
    for (int i = order; i > order - LAST_TERMS; i--)
        h = bounded_step(h, shrinks, control->tolerance * system_stored_size(P, stored_vector(P, series->q + i * STORED_SIZE, of_row), of_theta), i);
    return of_few_digits(h);
}

/* theta of a piece: by v and fields at its ends, which tells sizes; by their means where angles follow it. */
static inline void moved_by_piece(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, int order,
                                  const symlie_series *restrict begin, const symlie_series *restrict end, symlie_real *restrict theta)
{
#if !HAS_ANGLES
    for (int k = 0; k < DIMENSION; k++) theta[k] = h * (begin->w_0[k] + end->w_0[k]) / 2;
    (void)P, (void)work, (void)order;
#else
    ARRAY(mean, MOVED_SIZE);
    sum_means(MOVED_SIZE, order, begin->w, h, mean);
    const symlie_real *means = moved_vector(P, mean, theta);
    for (int k = 0; k < DIMENSION; k++) theta[k] = h * means[k];
    (void)end;
#endif
}

/* What the rates at the end lack of those that begin there: h/order of it is what a step adds to the errors of theta and v. */
static inline symlie_real series_error(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real h, int order,
                                       const symlie_control *restrict control, const symlie_series *restrict begin,
                                       const symlie_series *restrict end, const symlie_real *restrict theta)
{
    ARRAY(rate, STORAGE);
    ARRAY(acceleration, DIMENSION);
    ARRAY(sum, STORED_SIZE);
    ARRAY(other, VELOCITY_SIZE);
    ARRAY(scale, DIMENSION);
    const symlie_real part = h / order;
    for (int k = 0; k < DIMENSION; k++) scale[k] = control->atol[k] + control->rtol[k] * fabs(theta[k]);
    if (SUMS_TOGETHER && INTEGRATES_VELOCITIES) sum_two_rates(STORED_SIZE, VELOCITY_SIZE, order + 1, begin->q, begin->v, h, sum, other);
    else {
        const int moving = MOVING_STORED;
        sum_rates(moving, STORED_SIZE, order + 1, begin->q, h, sum);
        for (int k = moving; k < STORED_SIZE; k++) sum[k] = 0;
        if (INTEGRATES_VELOCITIES) sum_rates(VELOCITY_SIZE, VELOCITY_SIZE, order + 1, begin->v, h, other);
    }
    const symlie_real *rates = stored_vector(P, sum, rate);
    for (int k = 0; k < STORAGE; k++) rate[k] = part * (rates[k] - end->q_1[k]);
    const symlie_real of_q = system_stored_size(P, rate, scale);
    if (!INTEGRATES_VELOCITIES) return of_q;
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real a = fabs(begin->v_0[k]), b = fabs(end->v_0[k]);
        scale[k] = 1 / (control->atol[DIMENSION + k] + control->rtol[DIMENSION + k] * (a > b ? a : b));
    }
    rates = velocity_vector(P, other, acceleration);
    for (int k = 0; k < DIMENSION; k++) acceleration[k] = part * (rates[k] - end->v_1[k]);
    const symlie_real of_v = velocity_size(P, control, acceleration, scale);
    return of_q > of_v ? of_q : of_v;
}

#endif
