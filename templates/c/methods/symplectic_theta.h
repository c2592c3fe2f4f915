/* Symplectic theta family on cotangent bundles, right-trivialised.
 *
 *   stage(q_n, u) = exp(theta xi) q_n with the momentum M(xi, n) of the stage  (15)
 *   u = (xi, n) = h f(t_n + theta h, stage(q_n, u))  (16)
 *   q_{n+1} = end(q_n, u)  (17)
 *
 * Newton's method computes u with the derived matrix. The parameter is THETA. Source: [Celledoni2022], equations (15)
 * to (17). */
#ifndef SYMLIE_SYMPLECTIC_H
#define SYMLIE_SYMPLECTIC_H

#define ONE_EXPONENTIAL 0

#if !SYMPLECTIC
#error "the symplectic theta family needs a Hamiltonian system on cotangent bundles"
#endif

/* Data of the residual u - h f(stage(q_n, u)) and of its derivative with respect to u. */
typedef struct {
    const symlie_problem *P;
    const symlie_real *q;
    symlie_real t;              /* time of the stage */
    symlie_real h;
    int has_factors;
    symlie_real J[DIMENSION * DIMENSION];
} newton_problem;

static inline void newton_residual(newton_problem *restrict problem, const symlie_real *restrict u, symlie_real *restrict r)
{
    /* (15), (16) */
    system_symplectic(problem->P, problem->t, problem->q, u, problem->h, THETA, r, problem->J);
}

static inline int newton_refresh(newton_problem *restrict problem)
{
    return all_finite(DIMENSION * DIMENSION, problem->J) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}

static inline int newton_correction(newton_problem *restrict problem, const symlie_real *restrict r, symlie_real *restrict d)
{
    copy(DIMENSION, r, d);
    return solve_dense(DIMENSION, problem->J, d) ? SYMLIE_DONE : SYMLIE_SINGULAR;
}

/* The iteration ends by the size of the corrections only. */
static inline symlie_real newton_floor(const newton_problem *restrict problem, const symlie_real *restrict r)
{
    return 0;
}

static inline int newton_is_rounding(const newton_problem *restrict problem, const symlie_real *restrict d)
{
    return 0;
}

#include "newton.h"

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 0;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    const int n = DIMENSION;
    const newton_policy policy = NEWTON_POLICY;
    newton_problem problem;
    symlie_real u[DIMENSION], r[DIMENSION], d[DIMENSION], moved[DIMENSION];
    problem.P = P, problem.has_factors = 0, problem.q = state->q, problem.t = t + THETA * h, problem.h = h;
    for (int k = 0; k < n; k++) d[k] = u[k] = 0;
    system_field(P, problem.t, state->q, d, d, u);
    for (int k = 0; k < n; k++) u[k] *= h;
    trial->newton.evaluations++;
    const int status = newton_solve(&problem, &policy, n, largest_entry(STORAGE, state->q, 1), u, r, d, moved, 0, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    trial->acceleration_is_valid = 0;
    if (status != SYMLIE_DONE) return status;
    const symlie_real angle = system_chart(P, state->q, u);
    if (!(angle < CHART_LIMIT)) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    keep_increment(P, u, trial->increment);
    /* (17) */
    symlie_real end[STORAGE];
    system_symplectic_end(P, problem.t, state->q, u, h, THETA, end);
    system_normalize(P, end, trial->q);
    copy(n, state->v, trial->v);
    for (int k = 0; k < n; k++) trial->first_acceleration[k] = 0;
    return SYMLIE_DONE;
}

#endif
