/* Runge-Kutta-Munthe-Kaas methods with exact dexp^-1 for systems without constraints.
 *
 *   Theta_i = h sum_{j<i} a_ij K_j,  Q_i = q_n o exp(Theta_i),  V_i = v_n + h sum_{j<i} a_ij Vdot_j
 *   K_i = T^-1(Theta_i) V_i,  M Vdot_i = -g(t_n + c_i h, Q_i, V_i)
 *   q_{n+1} = q_n o exp(h sum_i b_i K_i),  v_{n+1} = v_n + h sum_i b_i Vdot_i
 *
 * With COMMUTATORS 0 the correction is left out, K_i = V_i (Lie-Euler-Heun). The tableau comes in as STAGES and the
 * tables A (row STAGES holds the weights b) and C; stages whose weights and uses are all zero are already dropped.
 * Source: Celledoni et al. 2022, section 2; left-trivialised. */
#ifndef SYMLIE_RKMK_H
#define SYMLIE_RKMK_H

static inline long long step_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return (2 * STAGES + 4LL) * DIMENSION + 2LL * STORAGE;
}

static inline int method_step(const symlie_problem *restrict P, double *restrict work, double t, double h,
                              mass_matrix *restrict mass, symlie_state *restrict state)
{
    ARRAY(rate, STAGES * DIMENSION);
    ARRAY(acceleration, STAGES * DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(V, DIMENSION);
    ARRAY(Theta, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(q, STORAGE);
    ARRAY(Q, STORAGE);
    double angle = 0;
    (void)work;
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        if (i == 0 || !EXACT_INVERSE) copy(DIMENSION, V, rate + i * DIMENSION);
        else system_rate(P, Theta, V, rate + i * DIMENSION);
        if (!MASS_IS_CONSTANT && !evaluate_mass(P, t + C[i] * h, Q, mass)) return stage_failure(P, angle, mass, V, 0);
        system_force(P, t + C[i] * h, Q, V, r);
        for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
        if (!solve_with_mass(P, mass, r, 0, 0, acceleration + i * DIMENSION)) return stage_failure(P, angle, mass, r, 0);
        combine(DIMENSION, i + 1, h, A[i + 1], rate, 0, Theta);
        combine(DIMENSION, i + 1, h, A[i + 1], acceleration, v, V);
        const double z = system_chart(P, Theta);
        angle = z > angle ? z : angle;
        system_advance(P, q, Theta, Q);
        if (MOTIONS) system_prescribe(P, t + (i + 1 < STAGES ? C[i + 1] : 1) * h, Q, V);
    }
    state->rhs_evaluations += STAGES;
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, V))) return SYMLIE_NOT_FINITE;
    system_normalize(P, Q, state->q);
    copy(DIMENSION, V, state->v);
    return SYMLIE_DONE;
}

#endif
