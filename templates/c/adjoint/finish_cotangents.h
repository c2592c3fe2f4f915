/* Cotangents of the state before the end of a step is projected and its multipliers are those of minimal norm; see
 * finish.h. */
#ifndef SYMLIE_FINISH_COTANGENTS_H
#define SYMLIE_FINISH_COTANGENTS_H

#include "projection.h"
#include "correction_cotangents.h"

#define VELOCITY_PATH (NONLINEAR_ROWS ? VELOCITY_STEPS + 1 : 1)

static inline long long finish_workspace(const symlie_problem *restrict P)
{
    const long long of_path = PROJECTION_STEPS * (long long)STORAGE + VELOCITY_PATH * (long long)DIMENSION;
    return of_path + STORAGE + 7LL * DIMENSION + 7LL * ROWS + 2LL * JACOBIAN_VALUES + projection_workspace(P) + adjoint_stage_workspace(P);
}

/* Replace the cotangents of a projected velocity by those of the velocities before each Newton step, and add those of q. */
static inline int velocity_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real end,
                                      const symlie_real *restrict q, const symlie_real *restrict path, int steps,
                                      mass_matrix *restrict mass, symlie_gradient *restrict gradient, symlie_real *restrict of_q,
                                      symlie_real *restrict of_v)
{
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(of_c, ROWS);
    ARRAY(of_d, DIMENSION);
    while (steps-- > 0) {
        const symlie_real *restrict v = path + steps * DIMENSION;
        system_jacobian(P, end, q, v, B);
        hidden_residual(P, end, q, B, v, 0, of_c, c);
        for (int k = 0; k < DIMENSION; k++) of_d[k] = -of_v[k];
        const int status = correction_cotangents(P, work, end, q, v, B, c, of_d, mass, gradient, of_c, of_q, of_v);
        if (status != SYMLIE_DONE) return status;
        fill_zero(ROWS, c);
        add_hidden_gradient(P, end, q, v, of_c, of_c, gradient, of_q, of_v, c);
    }
    return SYMLIE_DONE;
}

/* Replace the cotangents of a projected configuration by those of the configurations before each Newton step, and add
 * those of v, and of q and v at the start of the step. */
static inline int position_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real end,
                                      const symlie_state *restrict state, const symlie_real *restrict v, const symlie_real *restrict path,
                                      int steps, mass_matrix *restrict mass, symlie_gradient *restrict gradient,
                                      symlie_real *restrict of_q, symlie_real *restrict of_v, symlie_real *restrict start_q,
                                      symlie_real *restrict start_v)
{
    ARRAY(B0, JACOBIAN_VALUES);
    ARRAY(B1, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    ARRAY(mu, ROWS);
    ARRAY(delta, DIMENSION);
    ARRAY(of_delta, DIMENSION);
    ARRAY(w, DIMENSION);
    if (steps == 0) return SYMLIE_DONE;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, state->q, mass)) return SYMLIE_INDEFINITE_MASS;
    system_jacobian(P, t, state->q, state->v, B0);
    if (!find_dependent_rows(P, B0, mass)) return SYMLIE_NOT_FINITE;
    while (steps-- > 0) {
        const symlie_real *restrict q = path + steps * STORAGE;
        system_constraint(P, end, q, c);
        const int status = position_step(P, work, end, q, v, B0, B1, mass, c, delta, mu);
        if (status != SYMLIE_DONE) return status;
        system_tangent_transpose(P, delta, of_q, of_delta);
        system_bracket_transpose(P, delta, of_delta, w);
        for (int k = 0; k < DIMENSION; k++) of_q[k] -= w[k];
        if (!solve_stage_transposed(P, mass, work, B0, B1, of_delta, 0, w, c)) return SYMLIE_SINGULAR;
        add_correction_gradient(P, work, t, state->q, state->v, delta, mu, w, gradient, start_q, start_v);
        add_jacobian_gradient(P, work, end, q, v, c, delta, gradient, of_q, of_v);
        fill_zero(ROWS, mu);
        add_position_gradient(P, end, q, v, c, c, gradient, of_q, of_v, mu);
    }
    return SYMLIE_DONE;
}

/* Compute the cotangents of q, v and lambda before a step is finished, and those of q and v at its start, from those of
 * the final state; lambda is read only for redundant constraints. */
PART_OF_STEP int finish_cotangents(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                                   const symlie_control *restrict control, mass_matrix *restrict mass, const symlie_state *restrict state,
                                   const symlie_real *restrict end_q, const symlie_real *restrict end_v, const symlie_real *lambda,
                                   const symlie_real *restrict of_q, const symlie_real *restrict of_v, const symlie_real *restrict of_lambda,
                                   symlie_gradient *restrict gradient, symlie_real *restrict before_q, symlie_real *restrict before_v,
                                   symlie_real *restrict before_lambda, symlie_real *restrict start_q, symlie_real *restrict start_v)
{
    ARRAY(position_path, PROJECTION_STEPS *STORAGE);
    ARRAY(velocity_path, VELOCITY_PATH *DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    const symlie_real end = t + h;
    int positions = 0, velocities = 0, status = SYMLIE_DONE;
    (void)lambda;
    fill_zero(DIMENSION, start_q);
    fill_zero(DIMENSION, start_v);
    copy(DIMENSION, of_q, before_q);
    copy(DIMENSION, of_v, before_v);
    copy(ROWS, of_lambda, before_lambda);
    system_normalize(P, end_q, q);
    copy(DIMENSION, end_v, v);
    if (control->project_position) status = project_position(P, work, t, end, mass, state, v, q, position_path, &positions);
    if (status == SYMLIE_DONE && control->project_velocity) status = project_velocity(P, work, end, mass, q, v, velocity_path, &velocities);
#if PROBES
    if (status == SYMLIE_DONE) status = minimal_cotangents(P, work, end, q, v, lambda, of_lambda, mass, gradient, before_lambda, before_q, before_v);
#endif
    if (status == SYMLIE_DONE) status = velocity_cotangents(P, work, end, q, velocity_path, velocities, mass, gradient, before_q, before_v);
    if (status != SYMLIE_DONE) return status;
    return position_cotangents(P, work, t, end, state, end_v, position_path, positions, mass, gradient, before_q, before_v, start_q, start_v);
}

#endif
