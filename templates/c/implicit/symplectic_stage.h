/* Implicit stage of the symplectic theta family; symlie/runtime/methods/programs/symplectic_theta.py contains the
 * equations. */
#ifndef SYMLIE_SYMPLECTIC_STAGE_H
#define SYMLIE_SYMPLECTIC_STAGE_H

_Static_assert(SYMPLECTIC, "the symplectic theta family needs a Hamiltonian system on cotangent bundles");

/* Data of the residual u - h f(stage(q_n, u)) and of its derivative with respect to u. */
typedef struct {
    const symlie_problem *P;
    const symlie_real *q;
    symlie_real t;              /* time of the stage */
    symlie_real h;
    symlie_real theta;
    symlie_mask has_factors;
    symlie_real J[DIMENSION * DIMENSION];
} newton_problem;

static inline void newton_residual(newton_problem *restrict problem, const symlie_real *restrict u, symlie_real *restrict r)
{
    /* (15), (16) */
    system_symplectic(problem->P, problem->t, problem->q, u, problem->h, problem->theta, r, problem->J);
}

static inline int newton_refresh(newton_problem *restrict problem, symlie_mask of_lanes)
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
    return SYMLIE_NUMBER(0);
}

static inline symlie_mask newton_is_rounding(const newton_problem *restrict problem, const symlie_real *restrict d)
{
    return SYMLIE_FALSE;
}

#include "newton.h"

/* Solve (15), (16) for u, and compute the end (17) of a step from t. */
static inline int symplectic_stage(const symlie_problem *restrict P, symlie_real t, symlie_real h, symlie_scalar part,
                                   const symlie_real *restrict q, symlie_real *restrict u, symlie_real *restrict end,
                                   newton_counts *restrict counts)
{
    const newton_policy policy = NEWTON_POLICY;
    const symlie_real theta = SYMLIE_NUMBER(part);
    newton_problem problem;
    symlie_real r[DIMENSION], d[DIMENSION], moved[DIMENSION];
    problem.P = P, problem.has_factors = SYMLIE_FALSE, problem.q = q, problem.t = t + theta * h, problem.h = h, problem.theta = theta;
    for (int k = 0; k < DIMENSION; k++) d[k] = u[k] = SYMLIE_NUMBER(0);
    system_field(P, problem.t, q, d, d, u);
    for (int k = 0; k < DIMENSION; k++) u[k] *= h;
    counts->evaluations += SYMLIE_ONES(SYMLIE_TRUE);
    const int status = newton_solve(&problem, &policy, DIMENSION, largest_entry(STORAGE, q, SYMLIE_NUMBER(1)), u, r, d, moved, 0, counts);
    if (status != SYMLIE_DONE) return status;
    const symlie_real angle = system_chart(P, q, u);
    if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    system_symplectic_end(P, problem.t, q, u, h, theta, end);
    return SYMLIE_DONE;
}

#endif
