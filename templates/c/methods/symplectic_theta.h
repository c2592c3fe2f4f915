/* The symplectic theta family on cotangent bundles, trivialised from the right.
 *
 *   stage(q_n, u) = exp(theta xi) q_n with the momentum M(xi, n) of the stage  (15)
 *   u = (xi, n) = h f(t_n + theta h, stage(q_n, u))  (16)
 *   q_{n+1} = end(q_n, u)  (17)
 *
 * Newton's method with the derived matrix; a step that does not reduce the residual is shortened. The parameter comes in
 * as THETA.
 * Source: [Celledoni2022], equations (15) to (17). */
#ifndef SYMLIE_SYMPLECTIC_H
#define SYMLIE_SYMPLECTIC_H

#define ONE_EXPONENTIAL 0

#if !SYMPLECTIC
#error "the symplectic theta family needs a Hamiltonian system on cotangent bundles"
#endif

static inline long long step_workspace(const symlie_problem *restrict P)
{
    (void)P;
    return 0;
}

static inline double sum_of_squares(int n, const double *restrict x)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sum;
}

static inline int method_step(const symlie_problem *restrict P, double *restrict work, double t, double h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    const int n = DIMENSION;
    const double stage_t = t + THETA * h;
    double u[DIMENSION], r[DIMENSION], J[DIMENSION * DIMENSION], d[DIMENSION], moved[DIMENSION];
    const double size = largest_entry(STORAGE, state->q, 1);
    (void)work, (void)control, (void)mass;
    for (int k = 0; k < n; k++) d[k] = u[k] = 0;
    system_field(P, stage_t, state->q, d, d, u);
    for (int k = 0; k < n; k++) u[k] *= h;
    /* (15), (16) */
    system_symplectic(P, stage_t, state->q, u, h, THETA, r, J);
    trial->rhs_evaluations = 2;
    trial->acceleration_is_valid = 0;
    for (int iteration = 0;; iteration++) {
        if (!all_finite(n, r) || !all_finite(n * n, J)) return SYMLIE_NOT_FINITE;
        if (iteration == NEWTON_STEPS) return SYMLIE_NOT_CONVERGED;
        copy(n, r, d);
        trial->newton_iterations++;
        if (!solve_dense(n, J, d)) return SYMLIE_SINGULAR;
        if (largest_entry(n, d, 0) <= NEWTON_ENOUGH * size) break;
        const double before = sum_of_squares(n, r);
        double part = 1;
        for (int halving = 0;; halving++, part /= 2) {
            for (int k = 0; k < n; k++) moved[k] = u[k] - part * d[k];
            system_symplectic(P, stage_t, state->q, moved, h, THETA, r, J);
            trial->rhs_evaluations++;
            if (sum_of_squares(n, r) < before) break;
            if (halving == NEWTON_HALVINGS) return SYMLIE_NOT_CONVERGED;
        }
        copy(n, moved, u);
    }
    for (int k = 0; k < n; k++) u[k] -= d[k];
    const double angle = system_chart(P, u);
    if (!(angle < CHART_LIMIT)) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    keep_increment(P, u, trial->increment);
    /* (17) */
    double end[STORAGE];
    system_symplectic_end(P, stage_t, state->q, u, h, THETA, end);
    system_normalize(P, end, trial->q);
    copy(n, state->v, trial->v);
    for (int k = 0; k < n; k++) trial->first_acceleration[k] = 0;
    return SYMLIE_DONE;
}

#endif
