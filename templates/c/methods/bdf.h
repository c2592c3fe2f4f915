/* BDF on Lie groups, of orders one to five, index 3 and stabilised index 2, in the local coordinates of the new point.
 *
 *   q_{n+1} = q_n o exp(theta)                                                              (a)
 *   w = theta + B_{n+1}^T eta   (index 3 and without constraints: w = theta)                (b)
 *   theta_i = log(q_{n+1}^-1 o q_{n+1-i}),  i = 1, ..., k;  theta_1 = -theta                (1)
 *   h v_{n+1} = sum_{i>=1} alpha_i theta_i + alpha_0 (w - theta)                            (2)
 *   h v'_{n+1} = sum_{i>=0} alpha_i v_{n+1-i}                                               (3)
 *   alpha_i = d/dtau prod_{j!=i} (tau - tau_j)/(tau_i - tau_j) at tau = 0,  tau_i = (t_{n+1-i} - t_{n+1})/h   (4)
 *   M v'_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}^T lambda_{n+1} = 0                  (c)
 *   Phi(t_{n+1}, q_{n+1}) = 0                                                               (d)
 *   B_{n+1} v_{n+1} + b = 0   (stabilised index 2; rows without Phi in both)                (e)
 *   z'_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, ...)                                            (f)
 *
 * Where nodes have no velocity, the right-hand side of (2) over h is z'. The first steps, and those after a jump, are those of
 * half_explicit.h, whose tableau comes in besides STEPS (k), in parts so short that halving them changes velocities by no more
 * than START_TOLERANCE. With index 3, velocities that are carried are those of (2), and 2 k - 1 steps are of that kind; else
 * k - 1. All rotations from q_{n-k+1} on must stay below pi, where log ends; steps are held to a part of it each.
 * theta_i is taken between elements relative to q_n, which follow from the increments of the steps before: these are small, and
 * differences of configurations would be rounded as configurations are.
 * What has a letter is in step_equations.h. Source: [Gear1985]; [Wieloch2021], here in the coordinates of the new point. */
#ifndef SYMLIE_BDF_H
#define SYMLIE_BDF_H

#if !CHOOSES_ORDER
#include "bdf_start.h"
#endif

#define SEES_END 1
#define SPAN STEPS
#include "implicit_step.h"

#if CHOOSES_ORDER
#define ORDER(f) (f)->order
#else
#define ORDER(f) STEPS
#endif

struct step_formula {
    symlie_real h;
    int order;                          /* at most STEPS */
    symlie_real tau[STEPS + 1];
    symlie_real alpha[STEPS + 1];
    const symlie_real *velocities;      /* v_n, v_{n-1}, ... */
    symlie_real *identity;
    symlie_real *elements;              /* q_n^-1 o q_{n-1}, q_n^-1 o q_{n-2}, ... */
    symlie_real *element;               /* scratch */
    symlie_real *theta_i;               /* scratch */
};

#define FORMULA(name)                              \
    ARRAY(name##_identity, STORAGE);               \
    ARRAY(name##_elements, STEPS * STORAGE);       \
    ARRAY(name##_element, STORAGE);                \
    ARRAY(name##_theta_i, DIMENSION);              \
    step_formula name = {.identity = name##_identity, .elements = name##_elements, .element = name##_element, \
                         .theta_i = name##_theta_i}

static inline long long formula_workspace(const symlie_problem *restrict P)
{
    return (STEPS + 2LL) * STORAGE + DIMENSION;
}

/* (4) */
static inline void take_weights(step_formula *restrict f, symlie_real h, const symlie_real *restrict lengths)
{
    symlie_real *restrict tau = f->tau, *restrict alpha = f->alpha;
    f->h = h, tau[0] = 0, tau[1] = -1, alpha[0] = 0;
    for (int i = 2; i <= ORDER(f); i++) tau[i] = tau[i - 1] - lengths[i - 2] / h;
    for (int i = 1; i <= ORDER(f); i++) {
        alpha[i] = 1 / tau[i];
        for (int j = 1; j <= ORDER(f); j++)
            if (j != i) alpha[i] *= tau[j] / (tau[j] - tau[i]);
        alpha[0] -= alpha[i];
    }
}

/* log(a^-1 o b); of nodes without velocity, which are in R(n), the difference. */
static inline void increment_between(const symlie_problem *restrict P, const symlie_real *restrict a, const symlie_real *restrict b,
                                     symlie_real *restrict theta_i)
{
    system_difference(P, a, b, theta_i);
#if FIELDS
    for (int n = 0, local = 0; n < COUNT_OF_STATE; n++) {
        local = n && STORED[STATE[n]] == STORED[STATE[n - 1]] ? local + 1 : 0;
        theta_i[STATE[n]] = b[STORED[STATE[n]] + local] - a[STORED[STATE[n]] + local];
    }
#endif
}

/* What the formula takes of the steps before, from their increments, the latest first. */
static inline void take_elements(const symlie_problem *restrict P, const step_formula *restrict f, int count, const symlie_real *restrict increments)
{
    for (int k = 0; k < STORAGE; k++) f->identity[k] = f->element[k] = IDENTITY[k];
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < DIMENSION; k++) f->theta_i[k] = -increments[i * DIMENSION + k];
        system_advance(P, f->element, f->theta_i, f->elements + i * STORAGE);
        copy(STORAGE, f->elements + i * STORAGE, f->element);
    }
}

/* (2), (3) */
static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot)
{
    const symlie_real *restrict alpha = f->alpha;
    /* (1) */
    if (ORDER(f) > 1) system_advance(P, f->identity, theta, f->element);
    for (int k = 0; k < DIMENSION; k++) v[k] = alpha[0] * (w[k] - theta[k]) - alpha[1] * theta[k];
    for (int i = 2; i <= ORDER(f); i++) {
        increment_between(P, f->element, f->elements + (i - 2) * STORAGE, f->theta_i);
        for (int k = 0; k < DIMENSION; k++) v[k] += alpha[i] * f->theta_i[k];
    }
    for (int k = 0; k < DIMENSION; k++) v[k] /= f->h;
    for (int k = 0; k < DIMENSION; k++) v_dot[k] = alpha[0] * v[k];
    for (int i = 1; i <= ORDER(f); i++)
        for (int k = 0; k < DIMENSION; k++) v_dot[k] += alpha[i] * f->velocities[(i - 1) * DIMENSION + k];
    for (int k = 0; k < DIMENSION; k++) v_dot[k] /= f->h;
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) v_dot[STATE[n]] = v[STATE[n]], v[STATE[n]] = 0;
#endif
}

/* A first theta: the polynomial through the increments to configurations before, with the slope v_n at q_n. */
static inline void predict(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict v_dot_n,
                           symlie_real *restrict theta)
{
    symlie_real weight = 1;
    for (int i = 2; i <= ORDER(f); i++) weight *= -f->tau[i] / (-f->tau[i] - 1);
    for (int k = 0; k < DIMENSION; k++) theta[k] = f->velocities[k];
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) theta[STATE[n]] = v_dot_n[STATE[n]];
#else
    (void)v_dot_n;
#endif
    for (int k = 0; k < DIMENSION; k++) theta[k] *= f->h * weight;
    for (int i = 2; i <= ORDER(f); i++) {
        const symlie_real x = f->tau[i] + 1;
        weight = 1 / (x * x);
        for (int j = 2; j <= ORDER(f); j++)
            if (j != i) weight *= f->tau[j] / (f->tau[j] - f->tau[i]);
        increment_between(P, f->identity, f->elements + (i - 2) * STORAGE, f->theta_i);
        for (int k = 0; k < DIMENSION; k++) theta[k] += weight * f->theta_i[k];
    }
}

#if CHOOSES_ORDER
#include "bdf_variable.h"
#else

#define IS_SCHEME (CONSTRAINED && !HAS_ETA) /* whether velocities that are carried are those of (2) */
#define BEGINS (IS_SCHEME ? 2 * STEPS - 1 : STEPS - 1)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return implicit_workspace(P) + begin_step_workspace(P) + formula_workspace(P) + 6LL * DIMENSION + 2LL * STORAGE + ROWS;
}

static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    (void)P, (void)work, (void)t, (void)h, (void)control, (void)mass;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    copy(DIMENSION, state->v, own + OWN_VELOCITIES);
    return SYMLIE_DONE;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(theta, DIMENSION);
    ARRAY(v, DIMENSION);
    ARRAY(v_dot, DIMENSION);
    FORMULA(formula);
    IMPLICIT_STEP(end);
    const newton_policy policy = {NEWTON_MAX, NEWTON_HALVINGS, 0, NEWTON_RTOL, NEWTON_ATOL, 1, CONTRACTION, NEWTON_PATIENCE};
    const symlie_real *own = state->own, *kept = own + OWN - RECORD;
    const int at_hand = trial->own_rest > 0, begins = own[OWN_COUNT] < BEGINS, is_known = own[OWN_COUNT] >= STEPS - 1;
    formula.velocities = own + OWN_VELOCITIES;
    if (is_known) take_weights(&formula, h, own + OWN_LENGTHS), take_elements(P, &formula, STEPS - 1, own + OWN_INCREMENTS);
    trial->own_rest = 0;
    copy(STORAGE, state->q, q_n);
    if (begins) {
        const int status = take_start(P, work, t, h, control, mass, state, theta, trial);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        increment_between(P, q_n, trial->q, theta);
        copy(DIMENSION, trial->v, v);
        copy(DIMENSION, trial->acceleration_is_valid ? trial->acceleration : own + OWN_ACCELERATION, v_dot);
        if (IS_SCHEME && is_known) formula_at(P, &formula, theta, theta, v, end.v_dot);
    } else {
        int status = begin_implicit_step(&end, &formula, t, t + h, formula.alpha[0] / h, formula.alpha[0] / h * (formula.alpha[0] / h),
                                         formula.alpha[0] / h, q_n, kept, at_hand, trial->own + OWN - RECORD);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        predict(P, &formula, own + OWN_ACCELERATION, end.u);
        status = solve_implicit_step(&end, &policy, state->lambda, &trial->newton);
        trial->rhs_evaluations = trial->newton.evaluations;
        copy(DIMENSION, own + OWN_ACCELERATION, trial->first_acceleration);
        trial->acceleration_is_valid = 0;
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        keep_end(&end, work, trial);
        keep_record(&end, kept, trial);
        copy(DIMENSION, end.theta, theta);
        copy(DIMENSION, trial->v, v);
        copy(DIMENSION, trial->acceleration, v_dot);
    }
    const symlie_real angle = 4 * STEPS * STEPS * system_chart(P, theta);
    if (SYMLIE_UNLIKELY(!(angle < CHART_LIMIT))) return angle >= CHART_LIMIT ? SYMLIE_OUTSIDE_CHART : SYMLIE_NOT_FINITE;
    if (KEEPS_FACTORS && begins) copy(RECORD, kept, trial->own + OWN - RECORD);
    trial->own[OWN_COUNT] = fmin(own[OWN_COUNT] + 1, BEGINS);
    shift(STEPS, 1, &h, own + OWN_LENGTHS, trial->own + OWN_LENGTHS);
    shift(STEPS, DIMENSION, theta, own + OWN_INCREMENTS, trial->own + OWN_INCREMENTS);
    shift(STEPS, DIMENSION, v, own + OWN_VELOCITIES, trial->own + OWN_VELOCITIES);
    copy(DIMENSION, v_dot, trial->own + OWN_ACCELERATION);
    return SYMLIE_DONE;
}

#endif

#endif
