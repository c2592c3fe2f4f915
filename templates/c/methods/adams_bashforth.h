/* Adams-Bashforth-Munthe-Kaas k-step methods with one evaluation per step, for velocities on Lie groups.
 *
 *   sigma_j = log(q_n^-1 o q_{n-j}),  j = 0, ..., k-1  (1)
 *   sigmadot_j = T^-1(sigma_j) v_{n-j}  (2)
 *   M vdot_n = -g(t_n, q_n, v_n)  (3)
 *   beta_j = int_0^1 prod_{i!=j} (s - tau_i)/(tau_j - tau_i) ds,  tau_j = (t_{n-j} - t_n)/h  (4)
 *   q_{n+1} = q_n o exp(h sum_j beta_j sigmadot_j),  v_{n+1} = v_n + h sum_j beta_j vdot_{n-j}  (5)
 *
 * The printed step of another method takes the first k-1 steps of a run and after each jump; STEPS is k. The rotation
 * from q_{n-k+1} to q_{n+1} must stay below pi, the limit of log, so the rotation of each step is restricted to a
 * fraction of pi. Source: [Faltinsen2001], here with increments relative to q_n. */
#ifndef SYMLIE_ADAMS_BASHFORTH_H
#define SYMLIE_ADAMS_BASHFORTH_H

#define method_step begin_step
#define step_workspace begin_step_workspace
#include "step.h"
#undef method_step
#undef step_workspace

#define BEFORE (STEPS - 1)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 2LL * (STEPS + 1) * DIMENSION + STORAGE + begin_step_workspace(P);
}

static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    for (int k = 0; k < OWN; k++) own[k] = 0;
    return SYMLIE_DONE;
}

/* (4): integrals over [0, 1] of the Lagrange polynomials, computed from their coefficients. */
static inline void adams_weights(const symlie_real *restrict length, symlie_real h, symlie_real *restrict beta)
{
    symlie_real tau[STEPS];
    tau[0] = 0;
    for (int j = 0; j < BEFORE; j++) tau[j + 1] = tau[j] - length[j] / h;
    for (int j = 0; j < STEPS; j++) {
        symlie_real c[STEPS] = {1}, shifted[STEPS];
        int degree = 0;
        for (int i = 0; i < STEPS; i++) {
            if (i == j) continue;
            const symlie_real scale = 1 / (tau[j] - tau[i]);
            shifted[0] = 0;
            for (int n = 0; n <= degree; n++) shifted[n + 1] = c[n];
            for (int n = 0; n <= degree; n++) shifted[n] -= tau[i] * c[n];
            degree++;
            for (int n = 0; n <= degree; n++) c[n] = scale * shifted[n];
        }
        beta[j] = 0;
        for (int n = 0; n < STEPS; n++) beta[j] += c[n] / (n + 1);
    }
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(rate, STEPS * DIMENSION);
    ARRAY(acceleration, STEPS * DIMENSION);
    ARRAY(Theta, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(Q, STORAGE);
    const symlie_real *restrict own = state->own;
    const int moving = MOVING_END - MOVING_BEGIN, is_known = state->acceleration_is_valid != 0;
    symlie_real beta[STEPS];
    /* (3) */
    if (is_known) {
        copy(DIMENSION, state->acceleration, acceleration);
    } else {
        const int status = stage_acceleration(P, work, t, state->q, state->v, V, mass, acceleration, trial->lambda);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    }
    if (own[OWN_COUNT] < BEFORE) {
        symlie_state begin = *state;
        begin.acceleration = acceleration;
        begin.acceleration_is_valid = 1;
        const int status = begin_step(P, work, t, h, control, mass, &begin, trial);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        trial->rhs_evaluations += !is_known;
    } else {
        adams_weights(own + OWN_LENGTHS, h, beta);
        copy(BEFORE * DIMENSION, own + OWN_ACCELERATIONS, acceleration + DIMENSION);
        coordinate_rate(P, state->q, state->v, rate);
        for (int j = 0; j < BEFORE; j++) {
            /* (1), (2) */
            const symlie_real *restrict earlier = own + OWN_CONFIGURATIONS + j * STORAGE;
            system_difference(P, state->q, earlier, Theta);
            coordinate_rate(P, earlier, own + OWN_VELOCITIES + j * DIMENSION, V);
            system_inverse_tangent_operator(P, Theta, V, rate + (j + 1) * DIMENSION);
        }
        /* (5) */
        for (int k = 0; k < DIMENSION; k++) Theta[k] = 0;
        copy(DIMENSION, state->v, V);
        combine(moving, DIMENSION, STEPS, h, beta, rate + MOVING_BEGIN, 0, Theta + MOVING_BEGIN);
        if (INTEGRATES_VELOCITIES)
            combine(moving, DIMENSION, STEPS, h, beta, acceleration + MOVING_BEGIN, state->v + MOVING_BEGIN, V + MOVING_BEGIN);
        system_advance(P, state->q, Theta, Q);
        if (MOTIONS > 0) system_prescribe(P, t + h, Q, V);
        trial->rhs_evaluations = !is_known;
        trial->acceleration_is_valid = 0;
        copy(DIMENSION, acceleration, trial->first_acceleration);
        keep_increment(P, Theta, trial->increment);
        system_normalize(P, Q, trial->q);
        copy(DIMENSION, V, trial->v);
    }
    const symlie_real angle = 4 * BEFORE * BEFORE * system_chart(P, state->q, trial->increment);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, trial->v))) return SYMLIE_NOT_FINITE;
    trial->own[OWN_COUNT] = fmin(own[OWN_COUNT] + 1, BEFORE);
    shift(BEFORE, 1, &h, own + OWN_LENGTHS, trial->own + OWN_LENGTHS);
    shift(BEFORE, STORAGE, state->q, own + OWN_CONFIGURATIONS, trial->own + OWN_CONFIGURATIONS);
    shift(BEFORE, DIMENSION, state->v, own + OWN_VELOCITIES, trial->own + OWN_VELOCITIES);
    shift(BEFORE, DIMENSION, acceleration, own + OWN_ACCELERATIONS, trial->own + OWN_ACCELERATIONS);
    return SYMLIE_DONE;
}

#endif
