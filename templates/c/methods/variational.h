/* Variational integrators: a discrete Lagrangian L_d(q_n, q_{n+1}, h) determines the equations of a step.
 *
 *   q_{n+1} = q_n o exp(theta)                                                                        (1)
 *   p_n = p+(q_n, q_{n+1}, theta) + h w0 l(t_n, q_n, v_n) + h/2 B_n^T lambda_n+                       (2)
 *   Phi(t_{n+1}, q_{n+1}) = 0;  nonholonomic: h (B v + b) = 0 as sampled by L_d                       (3)
 *   p_{n+1} = p-(q_n, q_{n+1}, theta) - h w1 l(t_{n+1}, q_{n+1}, v_{n+1}) - h/2 B_{n+1}^T lambda_{n+1}-  (4)
 *   B_{n+1} v_{n+1} + b = 0                                                                           (5)
 *
 * with p = dT/dv, p+ = -D1 L_d, p- = D2 L_d, and the loads l = D_q V + dD/dv - f at the ends. The multipliers at
 * t_{n+1} are the mean of lambda_{n+1}- and lambda_{n+1}+. The latter solves (2) and (3) of the next step, if it has
 * the same length, and is the initial guess there. The kernels of the discrete Lagrangian define the weights and
 * functions. Source: [Hante2022], equations 14 to 18. */
#ifndef SYMLIE_VARIATIONAL_H
#define SYMLIE_VARIATIONAL_H

#define ONE_EXPONENTIAL 1

#include "variational_step.h"

#define LOOKS_AHEAD (CONSTRAINED && AVERAGES)
enum { NOTHING_KNOWN, GUESS_KNOWN, START_KNOWN };

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return stages_workspace(P) + 7LL * DIMENSION + 2LL * STORAGE + 2LL * ROWS + acceleration_workspace(P);
}

/* Compute theta of prescribed nodes; q is scratch. */
static inline void take_held(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q_n, symlie_real *restrict q,
                             symlie_real *restrict v, symlie_real *restrict held)
{
    if (!PRESCRIBED) return;
    copy(STORAGE, q_n, q);
    system_prescribe(P, t, q, v);
    system_difference(P, q_n, q, held);
}

/* Solve (1), (2), (3) starting from s->u; s->r becomes the residual of (2) due to rounding. */
static inline int solve_start(newton_problem *restrict s, symlie_real t, symlie_real h, const symlie_real *restrict q,
                              const symlie_real *restrict v, const symlie_real *restrict load, symlie_real *restrict target,
                              symlie_real *restrict held, newton_counts *restrict counts)
{
    const symlie_problem *P = s->P;
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, FULL ? NEWTON_ENOUGH : SLOW_ENOUGH, NEWTON_RTOL, NEWTON_ATOL, 1, 0, 0, 0};
    s->is_end = 0, s->takes_matrix = FULL, s->has_factors = 0;
    s->t_n = t, s->t = t + h, s->h = h, s->q_n = q, s->target = target, s->held = held;
    if (!FULL && !MASS_IS_CONSTANT && !evaluate_mass(P, t, q, s->mass)) return mass_failure(P, 0, s->mass);
#if CONSTRAINED
    system_jacobian(P, t, q, v, s->B_n);
    if (!find_dependent_rows(P, s->B_n, s->mass)) return SYMLIE_NOT_FINITE;
#endif
    system_conjugate_momentum(P, t, q, v, target);
    for (int k = 0; k < DIMENSION; k++) target[k] -= h * START_WEIGHT * load[k];
    take_held(P, t + h, q, s->q, s->v, held);
    for (int k = 0; k < DIMENSION; k++)
        if (!IS_FREE(k)) s->u[k] = 0;
    const int status = newton_solve(s, &policy, UNKNOWNS, largest_entry(STORAGE, q, 1), s->u, s->r, s->d, s->moved, s->guess, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    newton_residual(s, s->u, s->r);
#if CONSTRAINED && !FULL
    /* Remove the contribution of the rounding of Phi to (2), so that momentum is preserved. */
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->r[k] = 0;
    const int failed = newton_correction(s, s->r, s->d);
    if (SYMLIE_UNLIKELY(failed != SYMLIE_DONE)) return failed;
    for (int k = 0; k < UNKNOWNS; k++) s->u[k] -= s->d[k];
    newton_residual(s, s->u, s->r);
#endif
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
    const int tries_mass = LOADS_SEE_VELOCITY && *is_damped == 0;
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, SLOW_ENOUGH, NEWTON_RTOL, NEWTON_ATOL, 1, tries_mass ? DAMPED : 0,
                                  NEWTON_PATIENCE, 0};
    const long long refreshes = counts->refreshes;
    s->is_end = 1, s->target = target, s->takes_matrix = LOADS_SEE_VELOCITY && !tries_mass, s->has_factors = tries_mass;
    copy(STORAGE, q, s->q);
    if ((!MASS_IS_CONSTANT) && !evaluate_mass(P, s->t, q, s->mass)) return mass_failure(P, 0, s->mass);
#if CONSTRAINED
    system_jacobian(P, s->t, q, s->v, s->B);
    if (!find_dependent_rows(P, s->B, s->mass)) return SYMLIE_NOT_FINITE;
#endif
    for (int k = 0; k < DIMENSION; k++) s->u[k] = theta[k] / s->h;
    for (int k = DIMENSION; k < UNKNOWNS; k++) s->u[k] = 0;
    const int status = newton_solve(s, &policy, UNKNOWNS, size, s->u, s->r, s->d, s->moved, s->guess, counts);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    if (counts->refreshes > refreshes) *is_damped = 1;
    for (int k = 0; k < DIMENSION; k++) s->v[k] = IS_FREE(k) ? s->u[k] : 0;
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    take_end_load(P, s->t, s->q, s->v, s->load);
    return SYMLIE_DONE;
}

static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    (void)P, (void)work, (void)t, (void)h, (void)control, (void)mass, (void)state;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    return SYMLIE_DONE;
}

PART_OF_STAGE int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(q, STORAGE);
    ARRAY(v, DIMENSION);
    ARRAY(load, DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(target, DIMENSION);
    ARRAY(held, DIMENSION);
    ARRAY(minus, ROWS);
    ARRAY(rest, DIMENSION);
    VARIATIONAL_STEP(s);
    const symlie_real *own = state->own;
    symlie_real *next = trial->own;
    const int projects = control->project_position || control->project_velocity;
    const int known = projects ? NOTHING_KNOWN : (int)own[OWN_KNOWN];
    symlie_real is_damped = own[OWN_DAMPED];
    const symlie_real part = known ? h / own[OWN_LENGTH] : 1;
    copy(STORAGE, state->q, q_n);
    trial->acceleration_is_valid = 0;
    for (int k = 0; k < DIMENSION; k++) trial->first_acceleration[k] = 0;
    s.t_n = t, s.t = t + h, s.h = h, s.q_n = q_n;
    if (known == START_KNOWN && own[OWN_LENGTH] == h) {
        copy(DIMENSION, own + OWN_THETA, theta);
        copy(DIMENSION, own + OWN_REST, rest);
        if (PRESCRIBED) take_held(P, t + h, q_n, s.q, s.v, held);
        for (int k = 0; k < DIMENSION; k++)
            if (!IS_FREE(k)) theta[k] = 0;
        system_advance(P, q_n, theta, s.q);
        if (MOTIONS > 0) system_prescribe(P, t + h, s.q, s.v);
        if (PRESCRIBED)
            for (int k = 0; k < DIMENSION; k++)
                if (!IS_FREE(k)) theta[k] = held[k];
    } else {
        if (known) copy(DIMENSION, own + OWN_LOAD, load);
        else take_end_load(P, t, q_n, state->v, load);
        for (int k = 0; k < DIMENSION; k++) s.u[k] = known ? part * own[OWN_THETA + k] : h * state->v[k];
        for (int k = 0; k < UNKNOWNS - DIMENSION; k++) s.u[DIMENSION + k] = known ? part * part * own[OWN_MULTIPLIERS + k] : 0;
        const int status = solve_start(&s, t, h, q_n, state->v, load, target, held, &trial->newton);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        copy(DIMENSION, s.theta, theta);
        copy(DIMENSION, s.r, rest);
    }
    for (int k = 0; k < DIMENSION; k++) held[k] = IS_FREE(k) ? theta[k] : 0;
    const symlie_real angle = system_chart(P, q_n, held);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    keep_increment(P, held, trial->increment);
    system_normalize(P, s.q, q);
    system_end_momentum(P, t, q_n, q, theta, h, target);
#if SAMPLES
    copy(DIMENSION, theta, s.theta);
    subtract_from_end(&s, target);
#endif
    for (int k = 0; k < DIMENSION; k++) target[k] -= rest[k]; /* preserves momentum */
    const int status = solve_end(&s, q, target, theta, largest_entry(DIMENSION, state->v, 1), &is_damped, &trial->newton);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    copy(DIMENSION, s.v, v);
    copy(DIMENSION, s.load, load);
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, v))) return SYMLIE_NOT_FINITE;
    for (int k = 0; k < UNKNOWNS - DIMENSION; k++) minus[k] = 2 / h * s.u[DIMENSION + k];

    next[OWN_KNOWN] = GUESS_KNOWN, next[OWN_LENGTH] = h, next[OWN_DAMPED] = is_damped;
    for (int k = 0; k < DIMENSION; k++) next[OWN_THETA + k] = 2 * h * v[k] - theta[k];
    for (int k = 0; k < UNKNOWNS - DIMENSION; k++) next[OWN_MULTIPLIERS + k] = h * h / 2 * minus[k];
    copy(DIMENSION, load, next + OWN_LOAD);
    for (int k = 0; k < DIMENSION; k++) next[OWN_REST + k] = 0;
#if LOOKS_AHEAD
    copy(UNKNOWNS, next + OWN_THETA, s.u);
    const int ahead = solve_start(&s, t + h, h, q, v, load, target, held, &trial->newton);
    if (SYMLIE_UNLIKELY(ahead != SYMLIE_DONE)) return ahead;
    next[OWN_KNOWN] = START_KNOWN;
    copy(DIMENSION, s.theta, next + OWN_THETA);
    copy(ROWS, s.u + DIMENSION, next + OWN_MULTIPLIERS);
    copy(DIMENSION, s.r, next + OWN_REST);
    for (int k = 0; k < ROWS; k++) minus[k] = (minus[k] + 2 / (h * h) * s.u[DIMENSION + k]) / 2;
#endif
    trial->rhs_evaluations = trial->newton.evaluations;
    copy(STORAGE, q, trial->q);
    copy(DIMENSION, v, trial->v);
#if CONSTRAINED
    copy(ROWS, minus, trial->lambda);
    if (!AVERAGES) {
        const int failed = index1_acceleration(P, work, t + h, q, v, mass, s.d, trial->lambda);
        if (SYMLIE_UNLIKELY(failed != SYMLIE_DONE)) return failed;
    }
    measure_residuals(P, work, t + h, q, v, trial);
#endif
    return SYMLIE_DONE;
}

#endif
