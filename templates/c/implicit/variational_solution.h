/* Solution of both stages of a variational step; symlie/runtime/methods/programs/variational.py contains the
 * equations. */
#ifndef SYMLIE_VARIATIONAL_SOLUTION_H
#define SYMLIE_VARIATIONAL_SOLUTION_H

#include "variational_step.h"

/* Compute theta of prescribed nodes; q is scratch. */
static inline void take_held(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q_n, symlie_real *restrict q,
                             symlie_real *restrict v, symlie_real *restrict held)
{
    if (!PRESCRIBED) return;
    copy(STORAGE, q_n, q);
    system_prescribe(P, t, q, v);
    system_difference(P, q_n, q, held);
}

/* Prepare a stage in which all contacts are open. */
static inline void leave_contacts(newton_problem *restrict s)
{
    (void)s;
#ifdef STEPS_CONTACTS
    const symlie_problem *P = s->P;
    const int has_factors = !s->takes_matrix && MASS_ALONE > 0 && factorise_mass_alone(P, s->mass->M, s->factors);
    s->is_unbound = HAS_CONTACTS_ALONE && has_factors;
    s->is_open = OPEN_SOLVES && has_factors;
#endif
}

/* Solve (1), (2), (3) starting from s->u; s->r becomes the residual of (2) due to rounding. */
static inline int solve_start(newton_problem *restrict s, symlie_real t, symlie_real h, const symlie_real *restrict q,
                              const symlie_real *restrict v, const symlie_real *restrict load, symlie_real *restrict target,
                              symlie_real *restrict held, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, FULL ? NEWTON_ENOUGH : SLOW_ENOUGH, NEWTON_RTOL, NEWTON_ATOL, 1, SYMLIE_FALSE, 0, 0, 0};
    s->is_end = 0, s->takes_matrix = FULL ? SYMLIE_TRUE : SYMLIE_FALSE, s->has_factors = SYMLIE_FALSE;
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = q, s->target = target, s->held = held;
    if (!FULL && !MASS_IS_CONSTANT && !evaluate_mass(P, t, q, s->mass)) return mass_failure(P, SYMLIE_NUMBER(0), s->mass);
    leave_contacts(s);
    system_jacobian(P, t, q, v, s->B_n);
    if (!find_dependent_rows(P, s->B_n, s->mass)) return SYMLIE_NOT_FINITE;
    system_conjugate_momentum(P, t, q, v, target);
    for (int k = 0; k < DIMENSION; k++) target[k] -= h * START_WEIGHT * load[k];
    take_held(P, t + h, q, s->q, s->v, held);
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) s->u[k] = SYMLIE_NUMBER(0);
    const int status = newton_solve(s, &policy, UNKNOWNS_OF(s), largest_entry(STORAGE, q, SYMLIE_NUMBER(1)), s->u, s->r, s->d, s->moved, s->guess, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    newton_residual(s, s->u, s->r);
    if (IS_BOUND(s) && !FULL) {
        /* Remove the contribution of the rounding of Phi to (2), so that momentum is preserved. */
        for (int k = DIMENSION; k < UNKNOWNS; k++) s->r[k] = SYMLIE_NUMBER(0);
        const int failed = newton_correction(s, s->r, s->d);
        if (SYMLIE_UNLIKELY(failed != SYMLIE_DONE)) return failed;
        for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
        newton_residual(s, s->u, s->r);
    }
    for (int k = 0; k < DIMENSION; k++) s->r[k] /= h;
    return SYMLIE_DONE;
}

/* Solve (4), (5) for s->v, s->load and mu in s->u. The matrix with derivatives of loads is used if the iteration
 * with M alone does not converge. */
static inline int solve_end(newton_problem *restrict s, const symlie_real *restrict q, const symlie_real *restrict target,
                            const symlie_real *restrict theta, symlie_real size, symlie_real *restrict is_damped,
                            newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    const symlie_mask tries_mass = LOADS_SEE_VELOCITY ? *is_damped == 0 : SYMLIE_FALSE;
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, SLOW_ENOUGH, NEWTON_RTOL, NEWTON_ATOL, 1, tries_mass, DAMPED, NEWTON_PATIENCE, 0};
    const symlie_whole refreshes = counts->refreshes;
    s->is_end = 1, s->target = target, s->takes_matrix = SYMLIE_FALSE, s->has_factors = tries_mass;
    copy(STORAGE, q, s->q);
    if ((!MASS_IS_CONSTANT) && !evaluate_mass(P, s->t, q, s->mass)) return mass_failure(P, SYMLIE_NUMBER(0), s->mass);
    leave_contacts(s);
    system_jacobian(P, s->t, q, s->v, s->B);
    if (!find_dependent_rows(P, s->B, s->mass)) return SYMLIE_NOT_FINITE;
    for (int k = 0; k < DIMENSION; k++) s->u[k] = theta[k] / s->h;
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->u[k] = SYMLIE_NUMBER(0);
    const int status = newton_solve(s, &policy, UNKNOWNS_OF(s), size, s->u, s->r, s->d, s->moved, s->guess, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    *is_damped = SYMLIE_WHERE(counts->refreshes > refreshes, SYMLIE_NUMBER(1), *is_damped);
    for (int k = 0; k < DIMENSION; k++) s->v[k] = IS_FREE(k) ? s->u[k] : SYMLIE_NUMBER(0);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    take_end_load(P, s->t, s->q, s->v, s->load);
    return SYMLIE_DONE;
}

static inline long long discrete_workspace(const symlie_problem *restrict P)
{
    return stages_workspace(P) + 3LL * DIMENSION;
}

/* Solve (1), (2), (3) of a step from t, or use a known solution. The loads at the start are evaluated if has_load is 0;
 * the domain of the local coordinates is checked if is_first is 1. */
static inline int discrete_start(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h,
                                 const symlie_real *restrict q_n, const symlie_real *restrict v_n, const symlie_real *restrict known_load,
                                 symlie_real has_load, const symlie_real *restrict guess, const symlie_real *restrict mu_guess,
                                 symlie_real is_solution, const symlie_real *restrict known_rest, int is_first,
                                 symlie_real *restrict theta, symlie_real *restrict increment, symlie_real *restrict q,
                                 symlie_real *restrict mu, symlie_real *restrict rest, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    ARRAY(target, DIMENSION);
    ARRAY(held, DIMENSION);
    ARRAY(load, DIMENSION);
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = q_n;
    /* Members that differ repeat the step individually. */
    const int is_known = SYMLIE_ALL(is_solution != 0);
    if (!is_known && SYMLIE_ANY(is_solution != 0)) return SYMLIE_NOT_CONVERGED;
    if (is_known) {
        copy(DIMENSION, known_rest, rest);
        copy(ROWS, mu_guess, mu);
        take_held(P, t + h, q_n, s->q, s->v, held);
        for (int k = 0; k < DIMENSION; k++) {
            increment[k] = IS_FREE(k) ? guess[k] : SYMLIE_NUMBER(0);
            theta[k] = IS_FREE(k) || !PRESCRIBED ? increment[k] : held[k];
        }
        system_advance(P, q_n, increment, s->q);
        if (MOTIONS > 0) system_prescribe(P, t + h, s->q, s->v);
    } else {
        if (!SYMLIE_ALL(has_load != 0)) take_end_load(P, t, q_n, v_n, load);
        for (int k = 0; k < DIMENSION && SYMLIE_ANY(has_load != 0); k++) load[k] = SYMLIE_WHERE(has_load != 0, known_load[k], load[k]);
        copy(DIMENSION, guess, s->u);
        for (int k = 0; k < UNKNOWNS - DIMENSION; k++) s->u[DIMENSION + k] = mu_guess[k];
        const int status = solve_start(s, t, h, q_n, v_n, load, target, held, counts);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        copy(DIMENSION, s->theta, theta);
        copy(DIMENSION, s->r, rest);
        for (int k = 0; k < UNKNOWNS - DIMENSION; k++) mu[k] = s->u[DIMENSION + k];
        for (int k = 0; k < DIMENSION; k++) increment[k] = IS_FREE(k) ? theta[k] : SYMLIE_NUMBER(0);
    }
    if (is_first) {
        const symlie_real angle = system_chart(P, q_n, increment);
        if (SYMLIE_UNLIKELY(!SYMLIE_ALL(angle < CHART_LIMIT))) return SYMLIE_ANY(angle >= CHART_LIMIT) ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    }
    system_normalize(P, s->q, q);
    return SYMLIE_DONE;
}

/* Solve (4), (5) of a step from t; *is_damped is set if the matrix needs the derivatives of loads. */
static inline int discrete_end(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_real *restrict q_n, const symlie_real *restrict v_n, const symlie_real *restrict q,
                               const symlie_real *restrict theta, const symlie_real *restrict rest, symlie_real *restrict is_damped,
                               symlie_real *restrict v, symlie_real *restrict load, symlie_real *restrict mu,
                               newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    ARRAY(target, DIMENSION);
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = q_n;
    system_end_momentum(P, t, q_n, q, theta, h, target);
    if (SAMPLES) copy(DIMENSION, theta, s->theta);
    subtract_from_end(s, target);
    for (int k = 0; k < DIMENSION; k++) target[k] -= rest[k];
    const int status = solve_end(s, q, target, theta, largest_entry(DIMENSION, v_n, SYMLIE_NUMBER(1)), is_damped, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    copy(DIMENSION, s->v, v);
    copy(DIMENSION, s->load, load);
    for (int k = 0; k < UNKNOWNS - DIMENSION; k++) mu[k] = s->u[DIMENSION + k];
    return all_finite(DIMENSION, v) ? SYMLIE_DONE : SYMLIE_NOT_FINITE;
}

#endif
