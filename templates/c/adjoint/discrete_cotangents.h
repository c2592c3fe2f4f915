/* Cotangents of both stages of a variational step, by the implicit function theorem; see variational_step.h for the
 * equations (a) and (b), and implicit_ends.h for the method.
 *
 * With the cotangent u' of the unknowns, w solves J^T w = -u'. The matrices of the stages are near J: corrections with
 * them are repeated until u' of all terms vanishes. */
#ifndef SYMLIE_DISCRETE_COTANGENTS_H
#define SYMLIE_DISCRETE_COTANGENTS_H

#include "cotangent_convergence.h"
#if HAS_MATRIX
#include "transposed_factors.h"
#endif

static inline long long discrete_cotangents_workspace(const symlie_problem *restrict P)
{
    return 4LL * UNKNOWNS + (6LL + 4LL * (SAMPLES > 0)) * DIMENSION + 4LL * ROWS;
}

/* Solve the transposed linear system of a stage for the right-hand side u. */
static inline int solve_full_stage_cotangents(newton_problem *restrict s, symlie_real *restrict work, const symlie_real *restrict u,
                                              symlie_real *restrict w)
{
    const symlie_problem *P = s->P;
    (void)P;
#if HAS_MATRIX
    if (FULL || s->is_end) {
        const elimination E = read_elimination(ELIMINATION);
        copy(UNKNOWNS, u, w);
        solve_transposed(&E, s->values, w);
        return all_finite(UNKNOWNS, w);
    }
#endif
#if CONSTRAINED
    if (!solve_stage_transposed(P, s->mass, work, s->is_end ? s->B : s->B_n, s->B, u, u + DIMENSION, w, w + DIMENSION)) return 0;
#else
    if (!solve_mass_transposed(P, s->mass, work, 0, u, w)) return 0;
#endif
    for (int k = 0; k < UNKNOWNS; k++) w[k] = -w[k];
    return all_finite(UNKNOWNS, w);
}

/* The same without the part of w for combinations of redundant constraints, which has no effects but may grow. */
static inline int solve_stage_cotangents(newton_problem *restrict s, symlie_real *restrict work, const symlie_real *restrict u,
                                         symlie_real *restrict w)
{
    const int is_regular = solve_full_stage_cotangents(s, work, u, w);
#if PROBES
    const symlie_problem *P = s->P;
    take_minimal_multipliers(P, s->mass, w + DIMENSION);
#endif
    return is_regular;
}

/* Add the cotangents of w^T B^T mu: of q, of mu, and of parameters and inputs. */
static inline void add_force_gradient(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, const symlie_real *restrict q,
                                      const symlie_real *restrict v, const symlie_real *restrict B, const symlie_real *restrict mu, const symlie_real *restrict w,
                                      symlie_gradient *restrict gradient, symlie_real *restrict of_q, symlie_real *restrict of_mu)
{
#if CONSTRAINED
    ARRAY(unread, DIMENSION);
    ARRAY(rows, ROWS);
    add_jacobian_gradient(P, work, t, q, v, mu, w, gradient, of_q, unread);
    multiply_jacobian(P, B, w, rows);
    add_cotangent(ROWS, rows, of_mu);
#else
    (void)P, (void)work, (void)t, (void)q, (void)v, (void)B, (void)mu, (void)w, (void)gradient, (void)of_q, (void)of_mu;
#endif
}

#if SAMPLES
/* Add the cotangents of w^T p for the contribution of loads within the step to p+, or to p- at the end; see
 * variational_samples.h. */
static inline void add_sample_gradient(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, const symlie_real *restrict theta,
                                       const symlie_real *restrict w, symlie_gradient *restrict gradient, symlie_real *restrict of_q,
                                       symlie_real *restrict of_theta)
{
    const symlie_problem *P = s->P;
    const symlie_scalar sign = s->is_end ? -1 : 1;
    ARRAY(along, DIMENSION);
    ARRAY(weight, DIMENSION);
    ARRAY(q, DIMENSION);
    ARRAY(v, DIMENSION);
    copy(DIMENSION, theta, s->theta);
    for (int n = 0; n < SAMPLES; n++) {
        const symlie_real part = SYMLIE_NUMBER(SAMPLE_PART[n]), push = sign * s->h * SAMPLE_WEIGHT[n];
        const symlie_real xi = s->is_end ? 1 - part : part;
        for (int k = 0; k < DIMENSION; k++) along[k] = sign * theta[k];
        take_sample(s, n);
        system_matrix_interpolation(P, along, xi, s->T);
        multiply_squares(P, s->T, w, weight);
        for (int k = 0; k < DIMENSION; k++) weight[k] *= push;
        fill_zero(DIMENSION, q);
        fill_zero(DIMENSION, v);
        add_load_gradient(P, t + part * s->h, s->sample_q, s->sample_q, theta, s->sample_v, s->h, weight, gradient, q, 0, 0, v);
        system_slopes_interpolation(P, along, s->sample_load, xi, s->T);
        multiply_squares_transposed(P, s->T, w, weight);
        for (int k = 0; k < DIMENSION; k++) of_theta[k] += sign * push * weight[k] + v[k] / s->h;
        /* q_n o exp(part theta) */
        for (int k = 0; k < DIMENSION; k++) along[k] = part * theta[k];
        system_tangent_transpose(P, along, q, v);
        system_bracket_transpose(P, along, v, weight);
        for (int k = 0; k < DIMENSION; k++) of_theta[k] += part * v[k], of_q[k] += q[k] - weight[k];
    }
}
#else
static inline void add_sample_gradient(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, const symlie_real *restrict theta,
                                       const symlie_real *restrict w, symlie_gradient *restrict gradient, symlie_real *restrict of_q,
                                       symlie_real *restrict of_theta)
{
    (void)s, (void)work, (void)t, (void)theta, (void)w, (void)gradient, (void)of_q, (void)of_theta;
}
#endif

/* Components that do not move have no equations. */
static inline void hold_resting(const symlie_problem *restrict P, symlie_real *restrict x)
{
    (void)P;
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) x[k] = SYMLIE_NUMBER(0);
}

#if PRESCRIBED
/* Propagate the cotangents of theta = log(q_n^-1 o q) of prescribed nodes, and of their q at time t; moved and bracket are
 * scratch. */
static inline void pull_held(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict theta,
                             const symlie_real *restrict of_theta, symlie_real *restrict moved, symlie_real *restrict bracket,
                             symlie_gradient *restrict gradient, symlie_real *restrict start_q, symlie_real *restrict end_q)
{
    system_inverse_tangent_transpose(P, theta, of_theta, moved);
    system_bracket_transpose(P, theta, of_theta, bracket);
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) start_q[k] += bracket[k] - moved[k], end_q[k] += moved[k];
    pull_prescribed(P, t, gradient, end_q, 0, 0);
}
#endif

/* Cotangents of the solution of (a): of q and v at the start, of known loads, and, if the solution is known, of the guesses
 * of theta and mu. */
static inline int discrete_start_cotangents(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h,
                                            const symlie_real *restrict q_n, const symlie_real *restrict v_n, symlie_real has_load,
                                            symlie_real is_solution, const symlie_real *restrict theta, const symlie_real *restrict q,
                                            const symlie_real *restrict mu, const symlie_real *of_theta, const symlie_real *of_increment,
                                            const symlie_real *of_q, const symlie_real *of_mu, symlie_gradient *restrict gradient,
                                            symlie_real *restrict start_q, symlie_real *restrict start_v, symlie_real *restrict load,
                                            symlie_real *restrict guess, symlie_real *restrict mu_guess)
{
    const symlie_problem *P = s->P;
    ARRAY(end_q, DIMENSION);
    ARRAY(moved, DIMENSION);
    ARRAY(unread, DIMENSION);
    ARRAY(u, UNKNOWNS);
    ARRAY(d, UNKNOWNS);
    ARRAY(w, UNKNOWNS);
    correction_sizes last = {0};
    fill_zero(DIMENSION, start_q);
    fill_zero(DIMENSION, start_v);
    fill_zero(DIMENSION, load);
    fill_zero(DIMENSION, unread);
    take_cotangent(DIMENSION, of_increment, guess);
    hold_resting(P, guess);
    add_cotangent(DIMENSION, of_theta, guess);
    take_cotangent(DIMENSION, of_q, end_q);
    take_cotangent(ROWS, of_mu, mu_guess);
    if (!SYMLIE_ANY(is_solution != 0)) {
        s->is_end = 0, s->t_n = t, s->t = t + h, s->h = h, s->q_n = q_n;
        copy(DIMENSION, theta, s->theta);
        copy(STORAGE, q, s->q);
        if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q_n, s->mass)) return SYMLIE_INDEFINITE_MASS;
        system_jacobian(P, t, q_n, v_n, s->B_n);
        system_jacobian(P, t + h, q, s->v, s->B);
        if (!find_dependent_rows(P, s->B, s->mass)) return SYMLIE_NOT_FINITE;
#if HAS_MATRIX
        if (FULL) {
            const int status = take_stage_matrix(s);
            if (status != SYMLIE_DONE) return status;
        }
#endif
        fill_zero(UNKNOWNS, w);
        for (int taken = 0;; taken++) {
            system_tangent_transpose(P, theta, end_q, u);
            for (int k = 0; k < DIMENSION; k++) u[k] += guess[k];
            for (int k = DIMENSION; k < UNKNOWNS; k++) u[k] = mu_guess[k - DIMENSION];
            hold_resting(P, u);
            if (taken > 0 && cotangents_are_settled(P, taken - 1, d, w, &last)) break;
            if (taken == TANGENT_STEPS) return SYMLIE_NOT_CONVERGED;
            if (!solve_stage_cotangents(s, work, u, d)) return SYMLIE_SINGULAR;
            for (int k = 0; k < UNKNOWNS; k++) d[k] = -d[k], w[k] += d[k];
            for (int k = 0; k < DIMENSION; k++) moved[k] = h * d[k];
            add_start_momentum_gradient(P, t, q_n, q, theta, v_n, h, moved, gradient, start_q, end_q, guess, unread);
            add_sample_gradient(s, work, t, theta, moved, gradient, start_q, guess);
            add_force_gradient(P, work, t, q_n, v_n, s->B_n, mu, d, gradient, start_q, mu_guess);
#if CONSTRAINED
            add_position_gradient(P, t + h, q, v_n, mu, d + DIMENSION, gradient, end_q, unread, mu_guess);
            if (ROLLS) add_rolling_gradient(P, t, q_n, q, theta, v_n, h, d + DIMENSION, gradient, start_q, end_q, guess, unread);
#endif
        }
        /* The momentum and the loads at the start are known; they depend on neither theta nor q at the end. */
        for (int k = 0; k < DIMENSION; k++) moved[k] = -h * w[k];
        add_momentum_gradient(P, t, q_n, q, theta, v_n, h, moved, gradient, start_q, 0, 0, start_v);
        for (int k = 0; k < DIMENSION; k++) moved[k] *= -h * START_WEIGHT;
        if (SYMLIE_ANY(has_load != 0)) copy(DIMENSION, moved, load);
        else if (START_WEIGHT != 0) add_load_gradient(P, t, q_n, q, theta, v_n, h, moved, gradient, start_q, 0, 0, start_v);
    }
#if PRESCRIBED
    pull_held(P, t + h, theta, guess, moved, unread, gradient, start_q, end_q);
#endif
    /* q = q_n o exp(theta) */
    system_tangent_transpose(P, theta, end_q, moved);
    system_bracket_transpose(P, theta, moved, unread);
    for (int k = 0; k < DIMENSION; k++) start_q[k] += end_q[k] - unread[k], guess[k] += moved[k];
    hold_resting(P, guess);
    if (!SYMLIE_ANY(is_solution != 0)) {
        fill_zero(DIMENSION, guess);
        fill_zero(ROWS, mu_guess);
    }
    return SYMLIE_DONE;
}

/* Cotangents of the solution of (b): of q at both ends of the step, and of theta. */
static inline int discrete_end_cotangents(newton_problem *restrict s, symlie_real *restrict work, symlie_real t, symlie_real h,
                                          const symlie_real *restrict q_n, const symlie_real *restrict q, const symlie_real *restrict theta,
                                          const symlie_real *restrict v, const symlie_real *restrict mu, const symlie_real *of_v,
                                          const symlie_real *of_load, const symlie_real *of_mu, symlie_gradient *restrict gradient,
                                          symlie_real *restrict start_q, symlie_real *restrict end_q, symlie_real *restrict start_theta)
{
    const symlie_problem *P = s->P;
    ARRAY(end_v, DIMENSION);
    ARRAY(moved, DIMENSION);
    ARRAY(unread, DIMENSION);
    ARRAY(end_mu, ROWS);
    ARRAY(u, UNKNOWNS);
    ARRAY(d, UNKNOWNS);
    ARRAY(w, UNKNOWNS);
    correction_sizes last = {0};
    fill_zero(DIMENSION, start_q);
    fill_zero(DIMENSION, end_q);
    fill_zero(DIMENSION, start_theta);
    fill_zero(DIMENSION, unread);
    take_cotangent(DIMENSION, of_v, end_v);
    take_cotangent(ROWS, of_mu, end_mu);
    s->is_end = 1, s->t_n = t, s->t = t + h, s->h = h, s->q_n = q_n;
    copy(STORAGE, q, s->q);
    copy(DIMENSION, v, s->v);
    if (of_load && LOADS_AT_ENDS) add_load_gradient(P, t + h, q, q, theta, v, h, of_load, gradient, end_q, 0, 0, end_v);
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t + h, q, s->mass)) return SYMLIE_INDEFINITE_MASS;
    system_jacobian(P, t + h, q, v, s->B);
    if (!find_dependent_rows(P, s->B, s->mass)) return SYMLIE_NOT_FINITE;
#if HAS_MATRIX
    const int status = take_stage_matrix(s);
    if (status != SYMLIE_DONE) return status;
#endif
    fill_zero(UNKNOWNS, w);
    for (int taken = 0;; taken++) {
        copy(DIMENSION, end_v, u);
        for (int k = DIMENSION; k < UNKNOWNS; k++) u[k] = end_mu[k - DIMENSION];
        hold_resting(P, u);
        if (taken > 0 && cotangents_are_settled(P, taken - 1, d, w, &last)) break;
        if (taken == TANGENT_STEPS) return SYMLIE_NOT_CONVERGED;
        if (!solve_stage_cotangents(s, work, u, d)) return SYMLIE_SINGULAR;
        for (int k = 0; k < UNKNOWNS; k++) d[k] = -d[k], w[k] += d[k];
        add_momentum_gradient(P, t + h, q, q, theta, v, h, d, gradient, end_q, 0, 0, end_v);
        for (int k = 0; k < DIMENSION; k++) moved[k] = h * END_WEIGHT * d[k];
        if (END_WEIGHT != 0) add_load_gradient(P, t + h, q, q, theta, v, h, moved, gradient, end_q, 0, 0, end_v);
        add_force_gradient(P, work, t + h, q, v, s->B, mu, d, gradient, end_q, end_mu);
#if CONSTRAINED
        add_hidden_gradient(P, t + h, q, v, mu, d + DIMENSION, gradient, end_q, end_v, end_mu);
#endif
    }
#if PRESCRIBED
    pull_prescribed(P, t + h, gradient, 0, end_v, 0);
#endif
    for (int k = 0; k < DIMENSION; k++) moved[k] = -w[k];
    add_end_momentum_gradient(P, t, q_n, q, theta, v, h, moved, gradient, start_q, end_q, start_theta, unread);
    add_sample_gradient(s, work, t, theta, moved, gradient, start_q, start_theta);
    return SYMLIE_DONE;
}

#endif
