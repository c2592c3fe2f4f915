/* State of a series at a given length from its start. */
#ifndef SYMLIE_TAYLOR_REACH_H
#define SYMLIE_TAYLOR_REACH_H

#include "taylor_formula.h"

/* One Newton step for Phi with the matrix at q, normalisation of q, and one step for B v + b. The last step uses the
 * new q; otherwise the remaining errors of both would grow from step to step. */
static inline int meet_constraints(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t,
                                   mass_matrix *restrict mass, symlie_real *restrict q, symlie_real *restrict v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(r, DIMENSION);
    ARRAY(delta, DIMENSION);
    ARRAY(moved, STORAGE);
    ARRAY(c, ROWS);
    ARRAY(b, ROWS);
    ARRAY(mu, ROWS);
    system_jacobian(P, t, q, v, B);
    system_constraint(P, t, q, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    int status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    move_along(P, q, delta, moved);
    system_normalize(P, moved, q);
    system_jacobian(P, t, q, v, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < DIMENSION; k++) v[k] += delta[k];
    return SYMLIE_DONE;
}

/* Compute the state at a given length and, if their arrays are not null, the rates of the series there in the layout
 * of the series. */
static inline int reach_state(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real length, int order,
                              mass_matrix *restrict mass, const symlie_series *restrict series, symlie_real *restrict q,
                              symlie_real *restrict v, symlie_real *restrict rate_q, symlie_real *restrict rate_v)
{
    ARRAY(stored, STORAGE);
    ARRAY(sum, STORED_SIZE);
    const symlie_real s = in_unit(series, length), per_second = 1 / *series->unit;
    if (SUMS_TOGETHER && rate_q) sum_two_series(1, STORED_SIZE, VELOCITY_SIZE, order + 1, series->q, series->v, s, sum, v, rate_q, rate_v);
    else if (SUMS_TOGETHER) sum_two_series(0, STORED_SIZE, VELOCITY_SIZE, order + 1, series->q, series->v, s, sum, v, 0, 0);
    else sum_stored(P, order, series, s, sum, rate_q);
    system_normalize(P, stored_vector(P, sum, stored), q);
    if (!INTEGRATES_VELOCITIES) copy(DIMENSION, series->v_0, v);
    else if (!SUMS_TOGETHER) sum_velocities(P, work, order + 1, series->v, s, v, rate_v);
    for (int k = 0; rate_q && k < STORED_SIZE; k++) rate_q[k] *= per_second;
    for (int k = 0; rate_v && k < VELOCITY_SIZE && INTEGRATES_VELOCITIES; k++) rate_v[k] *= per_second;
    if (MOTIONS) system_prescribe(P, t + length, q, v);
    if (!(all_finite(STORAGE, q) && all_finite(DIMENSION, v))) return SYMLIE_NOT_FINITE;
    const int status = CONSTRAINED && RESTRICTS_MOTION ? meet_constraints(P, work, t + length, mass, q, v) : SYMLIE_DONE;
    if (status == SYMLIE_DONE) follow_turns(P, work, t, length, order, series, q, v);
    return status;
}

#endif
