/* Explicit Runge-Kutta methods for the stored components, for comparison; their solutions drift off the manifold.
 *
 *   Q_i = q_n + h sum_{j<i} a_ij Qdot_j,  V_i = v_n + h sum_{j<i} a_ij Vdot_j  (1)
 *   M Vdot_i = -g(t_n + c_i h, Q_i, V_i)  (2)
 *   Qdot_i = rate of the stored components at Q_i along V_i  (3)
 *
 * For first-order states V_i is f, the generator of the rate. q is not projected back to the manifold. The error
 * estimate uses h sum_j b_j V_j instead of local coordinates.
 *
 * The tableau is defined by STAGES (those of nonzero weight), EMBEDDED, and the tables A (row STAGES holds the weights
 * b), B_HAT and C. With END_STAGE an additional stage at the end of the step is the first stage of the next step. */
#ifndef SYMLIE_AMBIENT_H
#define SYMLIE_AMBIENT_H

#define ONE_EXPONENTIAL 0
#define ALL_STAGES (STAGES + END_STAGE)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return (2 * ALL_STAGES + 5LL) * DIMENSION + (ALL_STAGES + 2LL) * STORAGE + acceleration_workspace(P);
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, ALL_STAGES * DIMENSION);
    ARRAY(acceleration, ALL_STAGES * DIMENSION);
    ARRAY(stored, ALL_STAGES * STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(hat, 2 * DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(Q, STORAGE);
    const int with_estimate = EMBEDDED && control->with_estimate;
    const int stages = STAGES + (END_STAGE && with_estimate);
    (void)hat;
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
SYMLIE_UNROLL
    for (int i = 0; i < ALL_STAGES; i++) {
        if (i >= stages) break;
        const symlie_real stage_t = t + (i < STAGES ? C[i] : 1) * h;
        if (i == 0 && state->acceleration_is_valid) {
            copy(DIMENSION, state->acceleration, acceleration);
        } else {
            /* (2) */
            const int status = stage_acceleration(P, work, stage_t, Q, V, r, mass, acceleration + i * DIMENSION, trial->lambda);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        }
        /* (3) */
        copy(DIMENSION, V, rate + i * DIMENSION);
        if (FIELDS) system_field(P, stage_t, Q, acceleration + i * DIMENSION, LAMBDA_OF_STAGE(i), rate + i * DIMENSION);
        system_storage_rate(P, Q, rate + i * DIMENSION, stored + i * STORAGE);
        if (i >= STAGES) break;
        /* (1) */
        combine(STORAGE, STORAGE, i + 1, h, A[i + 1], stored, q, Q);
        combine(DIMENSION, DIMENSION, i + 1, h, A[i + 1], acceleration, v, V);
        if (MOTIONS) system_prescribe(P, t + (i + 1 < STAGES ? C[i + 1] : 1) * h, Q, V);
    }
    trial->rhs_evaluations = stages - (state->acceleration_is_valid ? 1 : 0);
    copy(DIMENSION, acceleration, trial->first_acceleration);
    if (SYMLIE_UNLIKELY(!(all_finite(DIMENSION, V) && all_finite(STORAGE, Q)))) return SYMLIE_NOT_FINITE;
    trial->acceleration_is_valid = END_STAGE && with_estimate;
    copy(DIMENSION, acceleration + (stages - 1) * DIMENSION, trial->acceleration);
    if (INCREMENTS || with_estimate) combine(DIMENSION, DIMENSION, STAGES, h, A[STAGES], rate, 0, r);
    keep_increment(P, r, trial->increment);
#if EMBEDDED
    if (with_estimate) {
        combine(DIMENSION, DIMENSION, ALL_STAGES, h, B_HAT, rate, 0, hat);
        combine(DIMENSION, DIMENSION, ALL_STAGES, h, B_HAT, acceleration, v, hat + DIMENSION);
        trial->error = error_norm(P, control, trial, r, hat, v, V, hat + DIMENSION);
    }
#endif
    copy(STORAGE, Q, trial->q);
    copy(DIMENSION, V, trial->v);
#if CONSTRAINED
    /* lambda belongs to the end of the step, whose v' is reused as the first stage of the next step. */
    if (!trial->acceleration_is_valid) {
        const int status = stage_acceleration(P, work, t + h, Q, V, r, mass, trial->acceleration, trial->lambda);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        trial->acceleration_is_valid = 1;
        trial->rhs_evaluations++;
    }
    measure_residuals(P, work, t + h, Q, V, trial);
#endif
    return SYMLIE_DONE;
}

#endif
