/* Compositions of exponentials: commutator-free methods and Crouch-Grossman methods.
 *
 *   Y_i = Y_start o exp(h sum_j e_1j f_j) o exp(h sum_j e_2j f_j) o ...  (1)
 *   f_j = (V_j, Vdot_j) at Y_j = (Q_j, V_j)  (2)
 *
 * The first exponential of a chain acts first; the velocity increments are summed. The end of the step and the embedded
 * solution have separate chains. The error is log(q_{n+1}^-1 o qhat_{n+1}) (3) or, with ERROR_IN_ALGEBRA, log(q_n^-1 o
 * qhat_{n+1}) - log(q_n^-1 o q_{n+1}) (4).
 *
 * The tableau is defined by STAGES, NEEDED (the stages that the result depends on), EMBEDDED, and the tables
 * EXPONENTIAL (weights of the slopes), BOUND and START (chain k has the exponentials from BOUND[k] to BOUND[k + 1] and
 * starts from the stage START[k]; chain STAGES leads to the end), and C. Source: [Celledoni2022], section 2;
 * [Crouch1993]; left-trivialised. */
#ifndef SYMLIE_CHAINS_H
#define SYMLIE_CHAINS_H

#define ONE_EXPONENTIAL 0

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return (3 * STAGES + 7LL) * DIMENSION + (STAGES + 3LL) * STORAGE + (STAGES + 1LL) * INCREMENTS + acceleration_workspace(P);
}

/* (1): compute (Q, V) at the end of a chain and the sum of its increments. Return the largest squared angle of its
 * exponentials. */
static inline symlie_real follow_chain(const symlie_problem *restrict P, int chain, int known, symlie_real h,
                                       const symlie_real *restrict rate, const symlie_real *restrict acceleration,
                                       const symlie_real *restrict stage_Q, const symlie_real *restrict stage_V,
                                       const symlie_real *restrict stage_sum, symlie_real *restrict Theta, symlie_real *restrict moved_Q,
                                       symlie_real *restrict moved_V, symlie_real *restrict Q, symlie_real *restrict V, symlie_real *restrict sum)
{
    symlie_real angle = 0;
    copy(STORAGE, stage_Q + START[chain] * STORAGE, Q);
    copy(DIMENSION, stage_V + START[chain] * DIMENSION, V);
    copy(INCREMENTS, stage_sum + START[chain] * INCREMENTS, sum);
SYMLIE_UNROLL
    for (int e = BOUND[chain]; e < BOUND[chain + 1]; e++) {
        combine(DIMENSION, DIMENSION, known, h, EXPONENTIAL[e], rate, 0, Theta);
        combine(DIMENSION, DIMENSION, known, h, EXPONENTIAL[e], acceleration, V, moved_V);
        const symlie_real z = system_chart(P, Q, Theta);
        angle = z > angle || !(z == z) ? z : angle;
        system_advance(P, Q, Theta, moved_Q);
        copy(STORAGE, moved_Q, Q);
        copy(DIMENSION, moved_V, V);
        for (int k = 0; k < INCREMENTS; k++) sum[k] += Theta[k];
    }
    return angle;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, STAGES * DIMENSION);
    ARRAY(acceleration, STAGES * DIMENSION);
    ARRAY(stage_V, STAGES * DIMENSION);
    ARRAY(stage_Q, STAGES * STORAGE);
    ARRAY(V, DIMENSION);
    ARRAY(Q, STORAGE);
    ARRAY(Theta, DIMENSION);
    ARRAY(moved_V, DIMENSION);
    ARRAY(moved_Q, STORAGE);
    ARRAY(r, DIMENSION);
    ARRAY(hat, 3 * DIMENSION);
    ARRAY(hat_Q, STORAGE);
    ARRAY(stage_sum, STAGES * INCREMENTS);
    ARRAY(sum, INCREMENTS);
    symlie_real angle = 0;
    const int with_estimate = EMBEDDED && control->with_estimate;
    const int stages = with_estimate ? STAGES : NEEDED;
    (void)hat, (void)hat_Q;
    copy(STORAGE, state->q, stage_Q);
    copy(DIMENSION, state->v, stage_V);
    for (int k = 0; k < INCREMENTS; k++) stage_sum[k] = 0;
SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        if (i >= stages) break;
        symlie_real *restrict Y = stage_Q + i * STORAGE, *restrict W = stage_V + i * DIMENSION;
        if (i > 0) {
            const symlie_real z = follow_chain(P, i, i, h, rate, acceleration, stage_Q, stage_V, stage_sum, Theta, moved_Q, moved_V,
                                               Q, V, sum);
            angle = z > angle || !(z == z) ? z : angle;
            copy(STORAGE, Q, Y);
            copy(DIMENSION, V, W);
            copy(INCREMENTS, sum, stage_sum + i * INCREMENTS);
            if (MOTIONS) system_prescribe(P, t + C[i] * h, Y, W);
        }
        /* (2) */
        copy(DIMENSION, W, rate + i * DIMENSION);
        if (i == 0 && state->acceleration_is_valid) {
            copy(DIMENSION, state->acceleration, acceleration);
        } else {
            const int status = stage_acceleration(P, work, t + C[i] * h, Y, W, r, mass, acceleration + i * DIMENSION, trial->lambda);
            if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : status;
        }
        take_rates(P, t + C[i] * h, Y, acceleration + i * DIMENSION, LAMBDA_OF_STAGE(i), rate + i * DIMENSION);
    }
    const symlie_real z = follow_chain(P, STAGES, stages, h, rate, acceleration, stage_Q, stage_V, stage_sum, Theta, moved_Q,
                                       moved_V, Q, V, trial->increment);
    angle = z > angle || !(z == z) ? z : angle;
    if (MOTIONS) system_prescribe(P, t + h, Q, V);
    trial->rhs_evaluations = stages - (state->acceleration_is_valid ? 1 : 0);
    copy(DIMENSION, acceleration, trial->first_acceleration);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, V))) return SYMLIE_NOT_FINITE;
#if EMBEDDED
    if (with_estimate) {
        symlie_real *restrict hat_V = hat, *restrict size = hat + DIMENSION, *restrict end = hat + 2 * DIMENSION;
        follow_chain(P, STAGES + 1, stages, h, rate, acceleration, stage_Q, stage_V, stage_sum, Theta, moved_Q, moved_V,
                     hat_Q, hat_V, sum);
        if (MOTIONS) system_prescribe(P, t + h, hat_Q, hat_V);
        system_difference(P, state->q, Q, size);
#if ERROR_IN_ALGEBRA
        /* (4) */
        system_difference(P, state->q, hat_Q, end);
#else
        /* (3) */
        system_difference(P, Q, hat_Q, end);
        for (int k = 0; k < DIMENSION; k++) end[k] += size[k];
#endif
        trial->error = error_norm(P, control, trial, size, end, state->v, V, hat_V);
    }
#endif
    system_normalize(P, Q, trial->q);
    copy(DIMENSION, V, trial->v);
    trial->acceleration_is_valid = CONSTRAINED;
#if CONSTRAINED
    /* lambda belongs to the end of the step, whose v' is the first stage of the next step. */
    const int status = stage_acceleration(P, work, t + h, trial->q, V, r, mass, trial->acceleration, trial->lambda);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    trial->rhs_evaluations++;
    measure_residuals(P, work, t + h, Q, V, trial);
#endif
    return SYMLIE_DONE;
}

#endif
