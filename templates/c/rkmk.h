/* Runge-Kutta-Munthe-Kaas methods with exact dexp^-1.
 *
 *   Theta_i = h sum_{j<i} a_ij K_j,  Q_i = q_n o exp(Theta_i),  V_i = v_n + h sum_{j<i} a_ij Vdot_j
 *   K_i = T^-1(Theta_i) V_i,  M Vdot_i = -g(t_n + c_i h, Q_i, V_i)
 *   q_{n+1} = q_n o exp(h sum_i b_i K_i),  v_{n+1} = v_n + h sum_i b_i Vdot_i
 *
 * With COMMUTATORS 0 the correction is left out, K_i = V_i (Lie-Euler-Heun). With constraints, Vdot_i and lambda solve
 * the index-1 system [M B^T; B 0][Vdot_i; lambda] = [-g; -Z] of the stage, which neither keeps Phi = 0 nor B v = 0.
 *
 * The tableau comes in as STAGES (those of nonzero weight), EMBEDDED, and the tables A (row STAGES holds the weights b),
 * B_HAT and C. With END_STAGE there is one stage more at the end of the step, which is the first of the next step.
 * Source: Celledoni et al. 2022, section 2; left-trivialised. */
#ifndef SYMLIE_RKMK_H
#define SYMLIE_RKMK_H

#define ALL_STAGES (STAGES + END_STAGE)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return (2 * ALL_STAGES + 6LL) * DIMENSION + 2LL * STORAGE + acceleration_workspace(P);
}

/* v' of a stage, and with constraints its lambda. */
static inline int stage_acceleration(const symlie_problem *restrict P, double *restrict work, double t,
                                     const double *restrict Q, const double *restrict V, double *restrict r,
                                     mass_matrix *restrict mass, double *restrict a, double *restrict lambda)
{
#if CONSTRAINED
    (void)r;
    return index1_acceleration(P, work, t, Q, V, mass, a, lambda);
#else
    (void)work, (void)lambda;
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, Q, mass)) return stage_failure(P, 0, mass, V, 0);
    system_force(P, t, Q, V, r);
    for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
    return solve_with_mass(P, mass, r, 0, 0, a) ? SYMLIE_DONE : stage_failure(P, 0, mass, r, 0);
#endif
}

static inline int method_step(const symlie_problem *restrict P, double *restrict work, double t, double h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, ALL_STAGES * DIMENSION);
    ARRAY(acceleration, ALL_STAGES * DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(Theta, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(hat, 2 * DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(Q, STORAGE);
    double angle = 0;
    int status;
    const int with_estimate = EMBEDDED && control->with_estimate;
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
    (void)hat;
SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        if (i == 0 || !EXACT_INVERSE) copy(DIMENSION, V, rate + i * DIMENSION);
        else system_rate(P, Theta, V, rate + i * DIMENSION);
        if (i == 0 && state->acceleration_is_valid) {
            copy(DIMENSION, state->acceleration, acceleration);
        } else {
            status = stage_acceleration(P, work, t + C[i] * h, Q, V, r, mass, acceleration + i * DIMENSION, trial->lambda);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : status;
        }
        combine(DIMENSION, i + 1, h, A[i + 1], rate, 0, Theta);
        combine(DIMENSION, i + 1, h, A[i + 1], acceleration, v, V);
        const double z = system_chart(P, Theta);
        angle = z > angle ? z : angle;
        system_advance(P, q, Theta, Q);
        if (MOTIONS) system_prescribe(P, t + (i + 1 < STAGES ? C[i + 1] : 1) * h, Q, V);
    }
    trial->rhs_evaluations = STAGES - (state->acceleration_is_valid ? 1 : 0);
    copy(DIMENSION, acceleration, trial->first_acceleration);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, V))) return SYMLIE_NOT_FINITE;
    /* The embedded formula needs the stage at the end, and with constraints it is where lambda comes from. */
    trial->acceleration_is_valid = END_STAGE && (CONSTRAINED || with_estimate);
    copy(DIMENSION, acceleration, trial->acceleration);
#if END_STAGE
    if (trial->acceleration_is_valid) {
        if (EXACT_INVERSE) system_rate(P, Theta, V, rate + STAGES * DIMENSION);
        else copy(DIMENSION, V, rate + STAGES * DIMENSION);
        status = stage_acceleration(P, work, t + h, Q, V, r, mass, acceleration + STAGES * DIMENSION, trial->lambda);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        copy(DIMENSION, acceleration + STAGES * DIMENSION, trial->acceleration);
        trial->rhs_evaluations++;
    }
#endif
#if EMBEDDED
    if (with_estimate) {
        combine(DIMENSION, ALL_STAGES, h, B_HAT, rate, 0, hat);
        combine(DIMENSION, ALL_STAGES, h, B_HAT, acceleration, v, hat + DIMENSION);
        trial->error = error_norm(P, control, Theta, hat, v, V, hat + DIMENSION);
    }
#endif
    system_normalize(P, Q, trial->q);
    copy(DIMENSION, V, trial->v);
#if CONSTRAINED
    measure_residuals(P, work, t + h, Q, V, trial);
#endif
    return SYMLIE_DONE;
}

#endif
