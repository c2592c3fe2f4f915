/* Initial method history of generalized-alpha methods; see generalized_alpha.h. */
#ifndef SYMLIE_ALPHA_START_H
#define SYMLIE_ALPHA_START_H

/* Initialise the method history by (4) and (5). */
static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    ARRAY(a, DIMENSION);
    ARRAY(later, DIMENSION);
    ARRAY(u, DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(Q, STORAGE);
    ARRAY(lambda, ROWS);
    for (int k = 0; k < OWN; k++) own[k] = 0;
    own[OWN_LENGTH] = h;
    copy(ROWS, state->lambda, lambda);
    int status = rates_of_state(P, work, t, state->q, state->v, r, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, a, own + OWN_ACCELERATION);
#if OPTIMAL_START || FIELDS
    symlie_real *restrict jerk = own + OWN_ALGORITHMIC;
    const symlie_real d = DERIVATIVE_STEP * h;
    for (int k = 0; k < DIMENSION; k++) jerk[k] = -3 * a[k];
    for (int n = 1; n <= 2; n++) {
        for (int k = 0; k < DIMENSION; k++) u[k] = 0;
        for (int k = MOVING_BEGIN; k < MOVING_END; k++) u[k] = n * d * state->v[k];
        FOR_STATES(k) u[k] = n * d * a[k];
        for (int k = 0; k < DIMENSION; k++) v[k] = state->v[k] + n * d * a[k];
        system_advance(P, state->q, u, Q);
        if (MOTIONS > 0) system_prescribe(P, t + n * d, Q, v);
        status = rates_of_state(P, work, t + n * d, Q, v, r, mass, later, lambda);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) jerk[k] += (n == 1 ? 4 : -1) * later[k];
    }
    for (int k = 0; k < DIMENSION; k++) jerk[k] /= 2 * d;
#if OPTIMAL_START && CONSTRAINED && !HAS_ETA
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    system_bracket(P, state->v, a, later);
    for (int k = 0; k < DIMENSION; k++)
        u[k] = h * h * ((1 - 6 * BETA - 3 * (ALPHA_M - ALPHA_F)) * jerk[k] / 6 + later[k] / 12);
    system_jacobian(P, t, state->q, state->v, B);
    multiply_jacobian(P, B, u, c);
#if FIELDS
    /* Dense output starts at the ends of steps, where velocities violate the hidden constraint. */
    ARRAY(off, ROWS);
    hidden_residual(P, t, state->q, B, state->v, 0, lambda, off);
    for (int k = 0; k < ROWS; k++) c[k] -= off[k];
#endif
    for (int k = 0; k < COUNT_OF_RATE_ROW; k++) c[RATE_ROW[k]] = 0;
    status = along_constraints(P, t, state->q, B, c, r, lambda, mass, own + OWN_PERTURBATION);
    if (status != SYMLIE_DONE) return status;
#endif
    FOR_STATES(k) own[OWN_PERTURBATION + k] = jerk[k];
    for (int k = 0; k < DIMENSION; k++) jerk[k] = OPTIMAL_START ? a[k] + (ALPHA_M - ALPHA_F) * h * jerk[k] : a[k];
    FOR_STATES(k) jerk[k] = a[k];
#else
    (void)u, (void)v, (void)later, (void)Q;
    copy(DIMENSION, a, own + OWN_ALGORITHMIC);
#endif
    return SYMLIE_DONE;
}

#endif
