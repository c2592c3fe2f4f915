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

static inline void copy(int n, const double *restrict from, double *restrict to);

static inline int method_step(const double *restrict p, double t, double h, mass_matrix *restrict mass,
                              symlie_state *restrict state)
{
    double rate[STAGES][DIMENSION], acceleration[STAGES][DIMENSION];
    double q[STORAGE], v[DIMENSION], Q[STORAGE], V[DIMENSION], Theta[DIMENSION], r[DIMENSION];
    double angle = 0;
    copy(STORAGE, state->q, q);
    copy(DIMENSION, state->v, v);
    copy(STORAGE, q, Q);
    copy(DIMENSION, v, V);
SYMLIE_UNROLL
    for (int i = 0; i < STAGES; i++) {
        if (i == 0 || !EXACT_INVERSE) copy(DIMENSION, V, rate[i]);
        else system_rate(Theta, V, rate[i]);
        if (!MASS_IS_CONSTANT) evaluate_mass(p, t + C[i] * h, Q, mass);
        system_force(p, t + C[i] * h, Q, V, r);
        for (int k = 0; k < DIMENSION; k++) r[k] = -r[k];
        if (!solve_with_mass(mass, r, 0, 0, acceleration[i])) return stage_failure(angle, mass, r, 0);
        combine(i + 1, h, A[i + 1], (const double (*)[DIMENSION])rate, 0, Theta);
        combine(i + 1, h, A[i + 1], (const double (*)[DIMENSION])acceleration, v, V);
        const double z = system_chart(Theta);
        angle = z > angle ? z : angle;
        system_advance(q, Theta, Q);
    }
    state->rhs_evaluations += STAGES;
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, V))) return SYMLIE_NOT_FINITE;
    system_normalize(Q, state->q);
    copy(DIMENSION, V, state->v);
    return SYMLIE_DONE;
}

#endif
