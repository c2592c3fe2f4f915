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
 * theta_i is the log of an element relative to q_{n+1}, which follows from that relative to q_n: these are near to the identity,
 * and differences of configurations would be rounded as configurations are.
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
#define POINTS (STEPS + 1)
#else
#define ORDER(f) STEPS
#define POINTS STEPS
#endif

struct step_formula {
    symlie_real h;
    int order;                          /* at most STEPS */
    symlie_real time[STEPS + 1];        /* t_{n+1-i} - t_{n+1} */
    symlie_real weight[STEPS + 1];      /* alpha_i/h */
    const symlie_real *increments;      /* log of those: what theta_1, theta_2, ... were at the end of the step before */
    const symlie_real *elements;        /* q_n^-1 o q_{n-1}, q_n^-1 o q_{n-2}, ... */
    const symlie_real *velocities;      /* v_n, v_{n-1}, ... */
    symlie_real *known;                 /* what v_n, v_{n-1}, ... are of v'_{n+1} */
    symlie_real *element;               /* exp(theta) of the last theta */
    symlie_real *theta_i;               /* theta_1, theta_2, ... there */
    symlie_real *apart;                 /* q_{n+1}^-1 o q_n, q_{n+1}^-1 o q_{n-1}, ... there */
};

#define FORMULA(name)                          \
    ARRAY(name##_known, DIMENSION);            \
    ARRAY(name##_element, STORAGE);            \
    ARRAY(name##_theta_i, POINTS * DIMENSION); \
    ARRAY(name##_apart, POINTS * STORAGE);     \
    step_formula name = {.known = name##_known, .element = name##_element, .theta_i = name##_theta_i, .apart = name##_apart}

static inline long long formula_workspace(const symlie_problem *restrict P)
{
    return (POINTS + 1LL) * (STORAGE + DIMENSION);
}

/* (4) */
static inline void take_weights(step_formula *restrict f, symlie_real h, const symlie_real *restrict lengths)
{
    symlie_real *restrict time = f->time, *restrict weight = f->weight;
    f->h = h, time[0] = 0, time[1] = -h, weight[0] = 0;
    for (int i = 2; i <= ORDER(f); i++) time[i] = time[i - 1] - lengths[i - 2];
    for (int i = 1; i <= ORDER(f); i++) {
        symlie_real above = 1, below = time[i];
        for (int j = 1; j <= ORDER(f); j++)
            if (j != i) above *= time[j], below *= time[j] - time[i];
        weight[i] = above / below;
        weight[0] -= weight[i];
    }
}

/* What the velocities of the steps before are of (3). */
static inline void take_known(const symlie_problem *restrict P, const step_formula *restrict f)
{
    (void)P;
    for (int k = 0; k < DIMENSION; k++) f->known[k] = f->weight[1] * f->velocities[k];
    for (int i = 2; i <= ORDER(f); i++)
        for (int k = 0; k < DIMENSION; k++) f->known[k] += f->weight[i] * f->velocities[(i - 1) * DIMENSION + k];
}

/* (a) */
static inline void formula_advance(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict q_n,
                                   const symlie_real *restrict theta, symlie_real *restrict q)
{
    system_exponential(P, theta, f->element);
    system_compose(P, q_n, f->element, q);
}

/* (1) of some points before q_n */
static inline void look_back(const symlie_problem *restrict P, const step_formula *restrict f, int first, int last)
{
    for (int i = first; i <= last; i++)
        system_increment(P, f->element, f->elements + (i - 2) * STORAGE, f->theta_i + (i - 1) * DIMENSION);
}

/* Elements of so many points from the end of a step, and theta_1. */
static inline void take_apart(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta, int count)
{
    for (int k = 0; k < DIMENSION; k++) f->theta_i[k] = -theta[k];
    system_inverse(P, f->element, f->apart);
    for (int i = 2; i <= count; i++) system_compose(P, f->apart, f->elements + (i - 2) * STORAGE, f->apart + (i - 1) * STORAGE);
}

/* (2), (3), behind (a) */
static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot)
{
    const symlie_real *restrict weight = f->weight, *restrict theta_i = f->theta_i, *restrict known = f->known;
    look_back(P, f, 2, ORDER(f));
    for (int k = 0; k < DIMENSION; k++) {
        symlie_real sum = (HAS_ETA ? weight[0] * (w[k] - theta[k]) : 0) - weight[1] * theta[k];
        for (int i = 2; i <= ORDER(f); i++) sum += weight[i] * theta_i[(i - 1) * DIMENSION + k];
        v[k] = sum;
        v_dot[k] = weight[0] * sum + known[k];
    }
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) v_dot[STATE[n]] = v[STATE[n]], v[STATE[n]] = 0;
#endif
}

/* A first theta: the polynomial through the increments to configurations before, with the slope v_n at q_n. */
static inline void predict(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict v_dot_n,
                           symlie_real *restrict theta)
{
    const symlie_real *restrict time = f->time, h = f->h;
    symlie_real above = h, below = 1;
    for (int i = 2; i <= ORDER(f); i++) above *= time[i], below *= time[i] + h;
    for (int k = 0; k < DIMENSION; k++) theta[k] = f->velocities[k];
#if FIELDS
    for (int n = 0; n < COUNT_OF_STATE; n++) theta[STATE[n]] = v_dot_n[STATE[n]];
#else
    (void)P, (void)v_dot_n;
#endif
    for (int k = 0; k < DIMENSION; k++) theta[k] *= above / below;
    for (int i = 2; i <= ORDER(f); i++) {
        const symlie_real x = time[i] + h;
        above = h * h, below = x * x;
        for (int j = 2; j <= ORDER(f); j++)
            if (j != i) above *= time[j], below *= time[j] - time[i];
        const symlie_real weight = above / below;
        for (int k = 0; k < DIMENSION; k++) theta[k] += weight * f->increments[(i - 2) * DIMENSION + k];
    }
}

/* Of a beginning, no point before is known: all are where it begins. */
static inline void begin_elements(const symlie_problem *restrict P, int count, symlie_real *restrict elements, symlie_real *restrict zero)
{
    for (int k = 0; k < DIMENSION; k++) zero[k] = 0;
    for (int i = 0; i < count; i++) system_exponential(P, zero, elements + i * STORAGE);
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
    (void)work, (void)t, (void)h, (void)control, (void)mass;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    begin_elements(P, STEPS - 1, own + OWN_ELEMENTS, own + OWN_VELOCITIES);
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
    formula.increments = own + OWN_INCREMENTS, formula.elements = own + OWN_ELEMENTS, formula.velocities = own + OWN_VELOCITIES;
    if (is_known) take_weights(&formula, h, own + OWN_LENGTHS), take_known(P, &formula);
    trial->own_rest = 0;
    copy(STORAGE, state->q, q_n);
    if (begins) {
        const int status = take_start(P, work, t, h, control, mass, state, theta, trial);
        if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
        system_increment(P, q_n, trial->q, theta);
        copy(DIMENSION, trial->v, v);
        copy(DIMENSION, trial->acceleration_is_valid ? trial->acceleration : own + OWN_ACCELERATION, v_dot);
        formula_advance(P, &formula, q_n, theta, end.q);
        look_back(P, &formula, 2, STEPS - 1);
        if (IS_SCHEME && is_known) formula_at(P, &formula, theta, theta, v, end.v_dot);
    } else {
        int status = begin_implicit_step(&end, &formula, t, t + h, formula.weight[0], formula.weight[0] * formula.weight[0],
                                         formula.weight[0], q_n, kept, at_hand, trial->own + OWN - RECORD);
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
    take_apart(P, &formula, theta, STEPS - 1);
    copy((STEPS - 1) * DIMENSION, formula.theta_i, trial->own + OWN_INCREMENTS);
    copy((STEPS - 1) * STORAGE, formula.apart, trial->own + OWN_ELEMENTS);
    shift(STEPS, DIMENSION, v, own + OWN_VELOCITIES, trial->own + OWN_VELOCITIES);
    copy(DIMENSION, v_dot, trial->own + OWN_ACCELERATION);
    return SYMLIE_DONE;
}

#endif

#endif
