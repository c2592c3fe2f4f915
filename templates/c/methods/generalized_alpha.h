/* Generalized-alpha methods on Lie groups, index 3 and stabilised index 2.
 *
 *   q_{n+1} = q_n o exp(theta)                                                              (1)
 *   w = theta + B_n^T eta   (index 3 and without constraints: w = theta)                    (2)
 *   a_{n+1} = (w/h - v_n - h (1/2 - beta) a_n)/(h beta)                                     (3)
 *   v_{n+1} = v_n + h (1 - gamma) a_n + h gamma a_{n+1}                                     (4)
 *   (1 - alpha_f) v'_{n+1} + alpha_f v'_n = (1 - alpha_m) a_{n+1} + alpha_m a_n             (5)
 *   M v'_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}^T lambda_{n+1} = 0                  (6)
 *   Phi(t_{n+1}, q_{n+1}) = 0                                                               (7)
 *   B_{n+1} v_{n+1} + b = 0   (stabilised index 2; rows without Phi in both)                (8)
 *   a_0 = v'_0 + (alpha_m - alpha_f) h v''_0                                                (9)
 *   B_0 dv = B_0 ((1 - 6 beta - 3 (alpha_m - alpha_f)) h^2 v''_0/6 + h^2 [v_0, v'_0]/12)    (10)
 *   a_n <- v'_n + r (a_n - v'_n),   v_n <- v_n + (r^2 - 1) d,   B d = B v_n + b             (11)
 *   theta_hat = h (v_n - d) + h^2 (v'_n/3 + v'_{n+1}/6) + h^3 [v_n, v'_n]/12                (12)
 *
 * dv = M^-1 B^T mu is added to v_0, and (11) has d = M^-1 B^T mu, for index 3 alone; r is the ratio of the lengths of two
 * steps. v''_0 is a derivative from the right. Source: [Holzinger2024], equations 33 to 43 and algorithms 4 and 5;
 * [Hante2022], section 5; (9), (10): [Arnold2016]; [Bruls2012].
 *
 * Parameters come in as ALPHA_M, ALPHA_F, BETA, GAMMA, and HAS_ETA for stabilised index 2. */
#ifndef SYMLIE_GENERALIZED_ALPHA_H
#define SYMLIE_GENERALIZED_ALPHA_H

#define ONE_EXPONENTIAL 1

#include "iteration_tables.h"
#include "iteration_matrix.h"

/* What a step is made of. */
typedef struct {
    const symlie_problem *P;
    symlie_real t;                  /* of the end */
    symlie_real t_n;
    symlie_real h;
    symlie_real acceleration;       /* beta' = dv'/dw, in 1/s^2 */
    symlie_real velocity;           /* gamma' = dv/dw, in 1/s */
    symlie_real scale;              /* of dynamic rows and of multipliers */
    const symlie_real *q_n;
    const symlie_real *v_n;
    const symlie_real *acceleration_n;
    const symlie_real *a_n;
    const symlie_real *B_n;
    symlie_real *w;                 /* scratch of the floor; at the unknowns of the residual computed last, and what follows from it */
    symlie_real *a;
    symlie_real *v;
    symlie_real *v_dot;
    symlie_real *q;
    symlie_real *lambda;
    symlie_real *M;
    symlie_real *B;
    symlie_real *theta;
    symlie_real *rows;              /* scratch of the size of lambda */
    symlie_real *scratch;           /* of the size of v or of lambda */
    symlie_real *terms;             /* of the size of v */
    symlie_real *zero;              /* zeros of the size of v or of lambda */
    int has_factors;
    symlie_real *taken;             /* where the matrix was taken, for kept factors alone */
    iteration_matrix A;
} newton_problem;

/* (1), (2), (3), (4), (5) */
static inline void end_of_step(newton_problem *restrict s, const symlie_real *restrict u)
{
    const symlie_problem *P = s->P;
    const symlie_real h = s->h;
    copy(DIMENSION, u, s->theta);
    copy(DIMENSION, u, s->w);
#if CONSTRAINED
    for (int k = 0; k < ROWS; k++) s->lambda[k] = u[DIMENSION + k];
#if HAS_ETA
    for (int k = 0; k < JACOBIAN_VALUES; k++) s->w[JACOBIAN_COLUMN[k]] += s->B_n[k] * u[DIMENSION + ROWS + JACOBIAN_ROW[k]] * HAS_PHI[JACOBIAN_ROW[k]];
    for (int k = 0; k < COUNT_OF_HELD; k++) s->w[HELD[k]] = 0;
#endif
#endif
    for (int k = 0; k < DIMENSION; k++) {
        s->a[k] = (s->w[k] / h - s->v_n[k] - h * (0.5 - BETA) * s->a_n[k]) / (h * BETA);
        s->v[k] = s->v_n[k] + h * (1 - GAMMA) * s->a_n[k] + h * GAMMA * s->a[k];
        s->v_dot[k] = ((1 - ALPHA_M) * s->a[k] + ALPHA_M * s->a_n[k] - ALPHA_F * s->acceleration_n[k]) / (1 - ALPHA_F);
    }
    system_advance(P, s->q_n, s->theta, s->q);
    if (MOTIONS > 0) system_prescribe(P, s->t, s->q, s->v);
    if (COUNT_OF_HELD > 0) {
        if (PRESCRIBED) system_prescribed_acceleration(P, s->t, s->scratch);
        for (int k = 0; k < COUNT_OF_HELD; k++) s->v_dot[HELD[k]] = PRESCRIBED ? s->scratch[HELD[k]] : 0;
    }
}

/* (6), (7), (8) */
static inline void newton_residual(newton_problem *restrict s, const symlie_real *restrict u, symlie_real *restrict r)
{
    const symlie_problem *P = s->P;
    end_of_step(s, u);
    system_mass(P, s->t, s->q, s->M);
    system_force(P, s->t, s->q, s->v, r);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        r[i] += s->M[k] * s->v_dot[j];
        if (i != j) r[j] += s->M[k] * s->v_dot[i];
    }
#if CONSTRAINED
    system_jacobian(P, s->t, s->q, s->B);
    for (int k = 0; k < JACOBIAN_VALUES; k++) r[JACOBIAN_COLUMN[k]] += s->B[k] * s->lambda[JACOBIAN_ROW[k]];
    system_constraint(P, s->t, s->q, s->scratch);
    for (int k = 0; k < ROWS; k++) r[DIMENSION + k] = s->scratch[k];
    if (HAS_ETA || !HOLONOMIC) {
        hidden_residual(P, s->t, s->q, s->B, s->v, 0, s->rows, s->scratch);
        for (int k = 0; k < COUNT_OF_RATE_ROW; k++) r[RATE_UNKNOWN[k]] = s->scratch[RATE_ROW[k]];
    }
#endif
    for (int k = 0; k < COUNT_OF_HELD; k++) r[HELD[k]] = 0;
#if HAS_ETA
    for (int k = 0; k < COUNT_OF_NO_ETA; k++) r[NO_ETA[k]] = 0;
#endif
}

/* The matrix at an end of a step, with M and B there, and B_n where the step began. */
static inline int take_matrix(newton_problem *restrict s, symlie_real t, const symlie_real *restrict q, const symlie_real *restrict v,
                              const symlie_real *restrict v_dot, const symlie_real *restrict theta, const symlie_real *restrict lambda,
                              const symlie_real *restrict B_n)
{
    return take_iteration_matrix(s->P, t, q, v, FULL_STIFFNESS ? v_dot : s->zero, FULL_STIFFNESS ? lambda : s->zero,
                                 TANGENT ? theta : s->zero, s->M, s->B, B_n, s->acceleration, s->velocity, s->scale, &s->A);
}

#if KEEPS_FACTORS
/* Where a matrix was taken: its time, the length of the step and the time where that began, q, q_n, v, v', theta, lambda. */
#define RECORD (3 + 2 * STORAGE + 3 * DIMENSION + ROWS)

/* Factors of the step before, with where they were taken. They are at hand in one process; else they are taken again. */
typedef struct {
    symlie_real *record;
    symlie_real *values;
    symlie_real *K;
} kept_factors;

static inline kept_factors factors_at_hand(const symlie_problem *restrict P)
{
    const kept_factors kept = {P->workspace, P->workspace + RECORD, P->workspace + RECORD + MATRIX_VALUES};
    return kept;
}

static inline int take_again(newton_problem *restrict s, const symlie_real *restrict taken, symlie_real *restrict B_n)
{
    const symlie_problem *P = s->P;
    const symlie_real *q = taken + 3, *q_n = q + STORAGE, *v = q_n + STORAGE, *v_dot = v + DIMENSION, *theta = v_dot + DIMENSION;
    system_mass(P, taken[0], q, s->M);
#if CONSTRAINED
    system_jacobian(P, taken[0], q, s->B);
    system_jacobian(P, taken[2], q_n, B_n);
#endif
    return take_matrix(s, taken[0], q, v, v_dot, theta, theta + DIMENSION, B_n);
}
#endif

static inline int newton_refresh(newton_problem *restrict s)
{
#if KEEPS_FACTORS
    const symlie_problem *P = s->P;
    symlie_real *restrict part = s->taken;
    part[0] = s->t, part[1] = s->h, part[2] = s->t_n;
    copy(STORAGE, s->q, part += 3);
    copy(STORAGE, s->q_n, part += STORAGE);
    copy(DIMENSION, s->v, part += STORAGE);
    copy(DIMENSION, s->v_dot, part += DIMENSION);
    copy(DIMENSION, s->theta, part += DIMENSION);
    copy(ROWS, s->lambda, part += DIMENSION);
    copy(RECORD, s->taken, factors_at_hand(P).record);
    s->has_factors = 1;
#endif
    return take_matrix(s, s->t, s->q, s->v, s->v_dot, s->theta, s->lambda, s->B_n);
}

static inline int newton_correction(newton_problem *restrict s, const symlie_real *restrict r, symlie_real *restrict d)
{
    const symlie_problem *P = s->P;
    copy(UNKNOWNS, r, d);
    solve_iteration(P, s->scale, &s->A, d);
    return all_finite(UNKNOWNS, d) ? SYMLIE_DONE : SYMLIE_SINGULAR;
}

/* v' is rounded as its part beta' theta is, which short steps cancel. */
static inline symlie_real acceleration_size(const newton_problem *restrict s, int component)
{
    return fabs(s->v_dot[component]) + s->acceleration * fabs(s->theta[component]);
}

/* Norm of a residual that is made of the rounding of its terms, and of the configuration that they see. */
SYMLIE_COLD symlie_real newton_floor(newton_problem *restrict s)
{
    const symlie_problem *P = s->P;
    symlie_real sum = 0;
    symlie_real *restrict terms = s->terms, *restrict sizes = s->w;
    (void)P;
    /* The largest stored component of the node of each velocity component. */
    for (int k = 0; k < DIMENSION; k++)
        sizes[k] = k && STORED[k] == STORED[k - 1] ? sizes[k - 1] : largest_entry(STORED_SIZE[k], s->q + STORED[k], 0);
    system_force(P, s->t, s->q, s->v, terms);
    for (int k = 0; k < DIMENSION; k++) terms[k] = fabs(terms[k]);
    for (int k = 0; k < MASS_VALUES; k++) {
        const int i = MASS_ROW[k], j = MASS_COLUMN[k];
        terms[i] += fabs(s->M[k]) * acceleration_size(s, j);
        if (i != j) terms[j] += fabs(s->M[k]) * acceleration_size(s, i);
    }
    for (int k = 0; k < VALUES_OF_K; k++)
        terms[STIFFNESS_ROW[k]] += fabs(s->A.K[k]) * sizes[STIFFNESS_COLUMN[k]];
#if CONSTRAINED
    for (int k = 0; k < ROWS; k++) s->scratch[k] = 0;
    for (int k = 0; k < JACOBIAN_VALUES; k++) {
        terms[JACOBIAN_COLUMN[k]] += fabs(s->B[k] * s->lambda[JACOBIAN_ROW[k]]);
        s->scratch[JACOBIAN_ROW[k]] += fabs(s->B[k]) * sizes[JACOBIAN_COLUMN[k]];
    }
    sum = sum_of_squares(ROWS, s->scratch);
#endif
    for (int k = 0; k < COUNT_OF_HELD; k++) terms[HELD[k]] = 0;
    return ROUNDING * sqrt(sum + sum_of_squares(DIMENSION, terms));
}

#include "newton.h"

#if CONSTRAINED
/* d = M^-1 B^T mu with B d = c; r and mu are scratch. */
static inline int along_constraints(const symlie_problem *restrict P, symlie_real t, const symlie_real *restrict q,
                                    const symlie_real *restrict B, const symlie_real *restrict c, symlie_real *restrict r,
                                    symlie_real *restrict mu, mass_matrix *restrict mass, symlie_real *restrict d)
{
    if (!MASS_IS_CONSTANT && !evaluate_mass(P, t, q, mass)) return mass_failure(P, 0, mass);
    for (int k = 0; k < DIMENSION; k++) r[k] = 0;
    return solve_stage(P, mass, B, B, r, c, d, mu) ? SYMLIE_DONE : stage_failure(P, 0, mass, r, c);
}
#endif

#if KEEPS_FACTORS
static inline long long kept_workspace(const symlie_problem *restrict P)
{
    return RECORD + factors_workspace(P);
}
#else
#define RECORD 0
#endif

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return 15LL * DIMENSION + 2LL * STORAGE + MASS_VALUES + (3LL + KEEPS_FACTORS) * JACOBIAN_VALUES + 6LL * ROWS + 6LL * UNKNOWNS +
           RECORD + iteration_workspace(P) + (KEEPS_FACTORS ? 0 : factors_workspace(P));
}

/* (9), (10), in what the method carries. */
static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    ARRAY(a, DIMENSION);
    ARRAY(later, DIMENSION);
    ARRAY(u, DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(Q, STORAGE);
    ARRAY(lambda, ROWS);
    (void)control;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    own[OWN_LENGTH] = h;
    copy(ROWS, state->lambda, lambda);
    int status = stage_acceleration(P, work, t, state->q, state->v, r, mass, a, lambda);
    if (status != SYMLIE_DONE) return status;
    copy(DIMENSION, a, own + OWN_ACCELERATION);
#if OPTIMAL_START
    symlie_real *restrict jerk = own + OWN_ALGORITHMIC;
    const symlie_real d = DERIVATIVE_STEP * h;
    for (int k = 0; k < DIMENSION; k++) jerk[k] = -3 * a[k];
    for (int n = 1; n <= 2; n++) {
        for (int k = 0; k < DIMENSION; k++) u[k] = 0;
        for (int k = MOVING_BEGIN; k < MOVING_END; k++) u[k] = n * d * state->v[k];
        for (int k = 0; k < DIMENSION; k++) v[k] = state->v[k] + n * d * a[k];
        system_advance(P, state->q, u, Q);
        if (MOTIONS > 0) system_prescribe(P, t + n * d, Q, v);
        status = stage_acceleration(P, work, t + n * d, Q, v, r, mass, later, lambda);
        if (status != SYMLIE_DONE) return status;
        for (int k = 0; k < DIMENSION; k++) jerk[k] += (n == 1 ? 4 : -1) * later[k];
    }
    for (int k = 0; k < DIMENSION; k++) jerk[k] /= 2 * d;
#if CONSTRAINED && !HAS_ETA
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(c, ROWS);
    system_bracket(P, state->v, a, later);
    for (int k = 0; k < DIMENSION; k++)
        u[k] = h * h * ((1 - 6 * BETA - 3 * (ALPHA_M - ALPHA_F)) * jerk[k] / 6 + later[k] / 12);
    system_jacobian(P, t, state->q, B);
    multiply_jacobian(P, B, u, c);
    for (int k = 0; k < COUNT_OF_RATE_ROW; k++) c[RATE_ROW[k]] = 0;
    status = along_constraints(P, t, state->q, B, c, r, lambda, mass, own + OWN_PERTURBATION);
    if (status != SYMLIE_DONE) return status;
#endif
    for (int k = 0; k < DIMENSION; k++) jerk[k] = a[k] + (ALPHA_M - ALPHA_F) * h * jerk[k];
#else
    (void)u, (void)v, (void)later, (void)Q;
    copy(DIMENSION, a, own + OWN_ALGORITHMIC);
#endif
    return SYMLIE_DONE;
}

/* (12); off is d */
static inline void third_order(const newton_problem *restrict s, const symlie_real *restrict off, symlie_real *restrict theta)
{
    const symlie_problem *P = s->P;
    const symlie_real h = s->h;
    system_bracket(P, s->v_n, s->acceleration_n, theta);
    for (int k = 0; k < DIMENSION; k++)
        theta[k] = h * (s->v_n[k] - off[k]) + h * h * (s->acceleration_n[k] / 3 + s->v_dot[k] / 6) + h * h * h * theta[k] / 12;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(q, STORAGE);
    ARRAY(v_n, DIMENSION);
    ARRAY(acceleration_n, DIMENSION);
    ARRAY(a_n, DIMENSION);
    ARRAY(w, DIMENSION);
    ARRAY(a, DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(v_dot, DIMENSION);
    ARRAY(theta, DIMENSION);
    ARRAY(off, DIMENSION);
    ARRAY(terms, DIMENSION);
    ARRAY(scratch, DIMENSION + ROWS);
    ARRAY(zero, DIMENSION + ROWS);
    ARRAY(lambda, ROWS);
    ARRAY(rows, ROWS);
    ARRAY(M, MASS_VALUES);
    ARRAY(B_n, JACOBIAN_VALUES);
    ARRAY(B, JACOBIAN_VALUES);
    ARRAY(u, UNKNOWNS);
    ARRAY(r, UNKNOWNS);
    ARRAY(d, UNKNOWNS);
    ARRAY(moved, UNKNOWNS);
#if KEEPS_FACTORS
    ARRAY(guessed, UNKNOWNS);
    ARRAY(taken, RECORD);
    const kept_factors kept = factors_at_hand(P);
    symlie_real *values = kept.values, *K = kept.K;
#else
    ARRAY(values, MATRIX_VALUES);
    ARRAY(K, VALUES_OF_K);
    symlie_real *guessed = 0, *taken = 0;
#endif
    ARRAY(C, VALUES_OF_C);
    ARRAY(H, VALUES_OF_H);
    ARRAY(T, SQUARES);
    ARRAY(block, HAS_ETA * (SQUARES + 1));
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, 0, NEWTON_RTOL, NEWTON_ATOL, 1, CONTRACTION, NEWTON_PATIENCE};
    const symlie_real *own = state->own, ratio = h / own[OWN_LENGTH];
    (void)work, (void)mass;
    copy(STORAGE, state->q, q_n);
    copy(DIMENSION, own + OWN_ACCELERATION, acceleration_n);
    copy(DIMENSION, own + OWN_ALGORITHMIC, a_n);
    for (int k = 0; k < DIMENSION; k++) v_n[k] = state->v[k] + own[OWN_PERTURBATION + k];
    for (int k = 0; k < DIMENSION + ROWS; k++) zero[k] = 0;
#if CONSTRAINED
    system_jacobian(P, t, q_n, B_n);
#endif
    for (int k = 0; k < DIMENSION; k++) off[k] = 0;
#if CONSTRAINED && !HAS_ETA
    if (SYMLIE_UNLIKELY(ratio != 1 || control->with_estimate)) {
        hidden_residual(P, t, q_n, B_n, v_n, 0, rows, lambda);
        for (int k = 0; k < COUNT_OF_RATE_ROW; k++) lambda[RATE_ROW[k]] = 0;
        const int failed = along_constraints(P, t, q_n, B_n, lambda, terms, rows, mass, off);
        if (failed != SYMLIE_DONE) return failed;
    }
#endif
    if (SYMLIE_UNLIKELY(ratio != 1)) {
        /* (11) */
        for (int k = 0; k < DIMENSION; k++) {
            a_n[k] = acceleration_n[k] + ratio * (a_n[k] - acceleration_n[k]);
            v_n[k] += (ratio * ratio - 1) * off[k];
            off[k] *= ratio * ratio;
        }
    }
    newton_problem problem = {
        .P = P, .t = t + h, .t_n = t, .h = h, .acceleration = (1 - ALPHA_M) / (BETA * (1 - ALPHA_F) * h * h), .velocity = GAMMA / (BETA * h),
        .q_n = q_n, .v_n = v_n, .acceleration_n = acceleration_n, .a_n = a_n, .B_n = B_n, .w = w, .a = a, .v = v, .v_dot = v_dot,
        .q = q, .lambda = lambda, .M = M, .B = B, .theta = theta, .rows = rows, .scratch = scratch, .terms = terms, .zero = zero,
        .has_factors = 0, .taken = taken, .A = {values, K, C, H, T, block}};
    problem.scale = SCALED ? problem.acceleration : 1;
#if KEEPS_FACTORS
    copy(RECORD, own + OWN_MATRIX_TIMES, taken);
    problem.has_factors = taken[1] == h;
    if (problem.has_factors && memcmp(kept.record, taken, sizeof(symlie_real) * (size_t)(RECORD))) {
        ARRAY(B_before, JACOBIAN_VALUES);
        const int failed = take_again(&problem, taken, B_before);
        if (failed != SYMLIE_DONE) return failed;
        copy(RECORD, taken, kept.record);
    }
#endif
    for (int k = 0; k < DIMENSION; k++) {
        const symlie_real guess = PREVIOUS ? acceleration_n[k] : 0;
        const symlie_real algorithmic = ((1 - ALPHA_F) * guess + ALPHA_F * acceleration_n[k] - ALPHA_M * a_n[k]) / (1 - ALPHA_M);
        u[k] = h * (v_n[k] + h * (0.5 - BETA) * a_n[k] + h * BETA * algorithmic);
    }
    for (int k = 0; k < COUNT_OF_HELD; k++) u[HELD[k]] = 0;
#if CONSTRAINED
    for (int k = 0; k < ROWS; k++) u[DIMENSION + k] = PREVIOUS ? state->lambda[k] : 0;
#if HAS_ETA
    for (int k = 0; k < ROWS; k++) u[DIMENSION + ROWS + k] = 0;
#endif
#endif
    const int status = newton_solve(&problem, &policy, UNKNOWNS, 1, u, r, d, moved, guessed, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    copy(DIMENSION, acceleration_n, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    end_of_step(&problem, u);
    const symlie_real angle = system_chart(P, theta);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (SYMLIE_UNLIKELY(!all_finite(DIMENSION, v))) return SYMLIE_NOT_FINITE;
    keep_increment(P, theta, trial->increment);
    system_normalize(P, q, trial->q);
    copy(DIMENSION, v, trial->v);
    copy(DIMENSION, v_dot, trial->acceleration);
    trial->acceleration_is_valid = 1;
#if CONSTRAINED
    copy(ROWS, lambda, trial->lambda);
    measure_residuals(P, work, t + h, trial->q, trial->v, trial);
#endif
    trial->own[OWN_LENGTH] = h;
    copy(DIMENSION, v_dot, trial->own + OWN_ACCELERATION);
    copy(DIMENSION, a, trial->own + OWN_ALGORITHMIC);
    for (int k = 0; k < DIMENSION; k++) trial->own[OWN_PERTURBATION + k] = 0;
    if (EMBEDDED && control->with_estimate) {
        third_order(&problem, off, d);
        trial->error = error_norm(P, control, trial, theta, d, state->v, v, v);
    }
#if KEEPS_FACTORS
    copy(RECORD, taken, trial->own + OWN_MATRIX_TIMES);
#endif
    return SYMLIE_DONE;
}

#endif
