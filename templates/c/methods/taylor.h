/* Taylor series of the stored components, of the velocities and of the multipliers, of an order that a run chooses.
 *
 *   q' = S(q) v,   M(t, q) v' + B(t, q)^T lambda = -g(t, q, v),   B(t, q) v + b(t, q) = 0  (1)
 *
 * where nodes without velocities have fields f(t, q, v, v', lambda) in their place, on whose points no constraint depends.
 * Coefficients follow from order to order: with r_k and c_{k+1}, what M v' + g + B^T lambda and B v + b have of order k and
 * k + 1 without v'_k, lambda_k and v_{k+1},
 *
 *   q_{k+1} = (S v)_k / (k + 1),   [M_0 B_0^T; B_0 0] [v'_k; lambda_k] = [-r_k; -(k + 1) c_{k+1}],  v_{k+1} = v'_k / (k + 1)  (2)
 *
 * A step ends with sum_k q_k h^k, brought back to the groups, and where there are constraints with one Newton step for Phi
 * and B v + b. See symlie/runtime/methods/taylor.py. Both series at hand, at the start of a step and at its end, are
 * functions of their states alone. */
#ifndef SYMLIE_TAYLOR_H
#define SYMLIE_TAYLOR_H

#include "taylor_formula.h"

#define ONE_EXPONENTIAL 0

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 7LL * DIMENSION + 3LL * STORAGE + JACOBIAN_VALUES + 3LL * ROWS + acceleration_workspace(P);
}

#if CONSTRAINED && ROWS_OF_VELOCITIES
/* One step of Newton's method for Phi with the matrix at q, which is then brought back to its groups, and one for B v + b
 * behind it: errors of both that one step leaves would grow from step to step if v were not corrected for the new q. */
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
    system_jacobian(P, t, q, B);
    system_constraint(P, t, q, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    int status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    system_advance(P, q, delta, moved);
    system_normalize(P, moved, q);
    system_jacobian(P, t, q, B);
    hidden_residual(P, t, q, B, v, 0, b, c);
    for (int k = 0; k < ROWS; k++) c[k] = -c[k];
    status = along_constraints(P, t, q, B, c, r, mu, mass, delta);
    if (status != SYMLIE_DONE) return status;
    for (int k = 0; k < DIMENSION; k++) v[k] += delta[k];
    return SYMLIE_DONE;
}
#endif

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(stored, STORAGE);
    ARRAY(theta, DIMENSION);
    const int order = (int)control->order;
    symlie_series begin, end;
    const symlie_jets jets = {order, aligned(place_series(P, place_series(P, P->workspace, &begin), &end))};
    int status;
    if (begins_at(P, &end, t, state->q, state->v)) {
        const symlie_series other = begin;
        begin = end, end = other;
    } else if (!begins_at(P, &begin, t, state->q, state->v)) {
        status = find_series(P, work, control, t, state->q, state->v, mass, &jets, &begin);
        /* The series of a step's end is counted with the step, also where it is found once more. */
        if (!state->acceleration_is_valid) trial->rhs_evaluations += order;
        if (status != SYMLIE_DONE) return status;
    }
    copy(DIMENSION, begin.v + DIMENSION, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (control->is_adaptive) {
        trial->factor = *begin.longest / h;
        trial->error = (symlie_real)2;
        if (!(h <= *begin.longest * STRETCH)) return SYMLIE_DONE;
    }
    sum_series(STORAGE, order + 1, begin.q, h, stored);
    sum_series(DIMENSION, order + 1, begin.v, h, trial->v);
    sum_series(ROWS, order, begin.lambda, h, trial->lambda);
    for (int k = 0; k < DIMENSION; k++) theta[k] = 0;
    for (int i = order - 1; i >= 0; i--)
        for (int k = 0; k < DIMENSION; k++) theta[k] = theta[k] * h + begin.w[i * DIMENSION + k] / (i + 1);
    for (int k = 0; k < DIMENSION; k++) theta[k] *= h;
    keep_increment(P, theta, trial->increment);
    system_normalize(P, stored, trial->q);
    if (MOTIONS) system_prescribe(P, t + h, trial->q, trial->v);
    if (!(all_finite(STORAGE, trial->q) && all_finite(DIMENSION, trial->v))) return SYMLIE_NOT_FINITE;
#if CONSTRAINED && ROWS_OF_VELOCITIES
    status = meet_constraints(P, work, t + h, mass, trial->q, trial->v);
    if (status != SYMLIE_DONE) return status;
    measure_residuals(P, work, t + h, trial->q, trial->v, trial);
#endif
    if (trial->is_inside) return SYMLIE_DONE;
    status = find_series(P, work, control, t + h, trial->q, trial->v, mass, &jets, &end);
    trial->rhs_evaluations += order;
    if (status != SYMLIE_DONE) return status;
    copy(ROWS, end.lambda, trial->lambda);
    copy(DIMENSION, end.v + DIMENSION, trial->acceleration);
    trial->acceleration_is_valid = 1;
    if (control->with_estimate) trial->error = series_error(P, work, h, control, &begin, &end, theta);
    if (control->is_adaptive) trial->factor = trial->error <= 1 ? *end.longest / h : REJECTED_STEP;
    return SYMLIE_DONE;
}

#endif
