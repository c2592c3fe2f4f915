/* What all methods use before they define method_step. */
#ifndef SYMLIE_METHOD_H
#define SYMLIE_METHOD_H

#include "vectors.h"
#include "node_blocks.h"

/* Whether M can be solved with alone. */
#ifndef MASS_IS_REGULAR
#define MASS_IS_REGULAR 1
#endif

#ifndef HAS_OWN_STATE
#define HAS_OWN_STATE 0
#define OWN 0 /* size of what a method carries for itself */
#endif

/* Whether it chooses the order of each step with its length. */
#ifndef CHOOSES_ORDER
#define CHOOSES_ORDER 0
#endif

/* Whether it takes earlier steps, of whose order kinks leave nothing; the order of the first step after them. */
#ifndef RESTARTS_AT_KINKS
#define RESTARTS_AT_KINKS 0
#define FIRST_ORDER 1
#endif

/* Whether it carries accelerations, so that it begins anew where they jump. */
#ifndef RESTARTS_AT_SWITCHES
#define RESTARTS_AT_SWITCHES 0
#endif
#if defined(SWITCHES) && RESTARTS_AT_SWITCHES
#define HAS_SWITCHES 1
#else
#define HAS_SWITCHES 0
#endif

/* Whether each step proposes the length of the next one. */
#ifndef CHOOSES_LENGTH
#define CHOOSES_LENGTH CHOOSES_ORDER
#endif

/* Whether a step is a polynomial that is known before its length, so that states within it are steps of other lengths. */
#ifndef POLYNOMIAL
#define POLYNOMIAL 0
#endif

#ifndef EVENT_SERIES
#define EVENT_SERIES 0
#endif

/* Whether rates of local coordinates are not the velocities, since these are rates of other things. */
#ifndef COORDINATE_RATES
#define COORDINATE_RATES 0
#endif

/* Whether states within a step are results of shorter steps. */
#define BY_SHORTER_STEPS (FIELDS || POLYNOMIAL || COORDINATE_RATES)

#ifndef SUBSTEPS
#define SUBSTEPS 0 /* steps of the method that a step is composed of */
#endif

/* What a method keeps at hand in the beginning of the workspace, and can compute once more, is of this length. */
#ifndef KEEPS_FACTORS
#define KEEPS_FACTORS 0
#endif
#if !POLYNOMIAL
static inline void forget_kept(const symlie_problem *restrict P)
{
    (void)P;
}
#endif
#if !(KEEPS_FACTORS || POLYNOMIAL)
static inline long long kept_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

/* What Newton's iterations took; see implicit/newton_iteration.py. */
typedef struct {
    long long evaluations;
    long long iterations;
    long long jacobians;
    long long factorisations;
    long long back_substitutions;
    long long refreshes;
    long long halvings;
    long long rounding_floor;
    long long slowest;          /* where the residual was largest before the last correction */
} newton_counts;

#define NO_COUNTS {0, 0, 0, 0, 0, 0, 0, 0, -1}

/* The result of a step that may still be tried again. */
typedef struct {
    symlie_real *q;
    symlie_real *v;
    symlie_real *lambda;
    symlie_real *acceleration;  /* v' at the end, if it can serve as the next first stage */
    long long acceleration_is_valid;
    symlie_real *first_acceleration; /* v' of the first stage, which serves again if the step is rejected */
    symlie_real *event;         /* event functions at the end, once they are computed */
    symlie_real *increment;     /* local coordinates of the step, or their sum over a chain; see keep_increment */
    symlie_real *carried;       /* what is carried at the end, once it is computed */
    symlie_real *own;           /* what the method carries for itself, at the end */
    long long own_rest;         /* numbers at its end that are not written, since they are those of the state */
    symlie_real error;          /* at most 1 if acceptable */
    long long rhs_evaluations;
    newton_counts newton;
    symlie_real largest_constraint;
    symlie_real largest_velocity;
    long long dependent_rows;   /* rows more than their rank at the end, where multipliers have the smallest norm */
    long long keeps_difference; /* whether the estimated error is wanted */
    symlie_real *difference;    /* y_hat - y for y = (theta, v) */
    long long order;            /* of the step, of methods that choose it */
    symlie_real factor;         /* of the length of the next step, of methods that choose that */
    symlie_mask is_untried;     /* where the step is longer than the method may take: its error says so, and nothing was computed */
    long long is_moved;         /* the end is not that of the increment: it was projected near a singular configuration */
    long long is_inside;        /* a state within a step is wanted, from which no step follows */
    long long ends_run;         /* no step follows where this one is accepted */
    long long may_be_rough;     /* a first step over a switch may be rough: the step up to it takes its place */
    long long is_rough;         /* it is one */
} symlie_trial;

/* Whether v' of the first stage is read after a step: where it may be rejected, or is looked at. Lanes have it already where
 * it was known before the step. */
static inline int reads_first_acceleration(const symlie_control *restrict control, const symlie_state *restrict state,
                                           const symlie_trial *restrict trial)
{
    if (SYMLIE_LANES > 1) return !state->acceleration_is_valid;
    return FIXED_TOPOLOGY || control->is_adaptive || trial->keeps_difference;
}

/* Multipliers of a stage: those of the state where its v' is known, else what the stage's solution left in the trial. */
#define LAMBDA_OF_STAGE(i) ((i) == 0 && state->acceleration_is_valid ? state->lambda : trial->lambda)

#define TRIAL(name)                                                                                                 \
    ARRAY(name##_q, STORAGE);                                                                                       \
    ARRAY(name##_v, DIMENSION);                                                                                     \
    ARRAY(name##_lambda, ROWS);                                                                                     \
    ARRAY(name##_acceleration, DIMENSION);                                                                          \
    ARRAY(name##_first, DIMENSION);                                                                                 \
    ARRAY(name##_event, EVENTS);                                                                                    \
    ARRAY(name##_increment, INCREMENTS);                                                                            \
    ARRAY(name##_carried, CARRIED);                                                                                 \
    ARRAY(name##_own, OWN);                                                                                         \
    ARRAY(name##_difference, 2 * DIMENSION);                                                                        \
    symlie_trial name = {.q = name##_q,                                                                             \
                         .v = name##_v,                                                                             \
                         .lambda = name##_lambda,                                                                   \
                         .acceleration = name##_acceleration,                                                       \
                         .first_acceleration = name##_first,                                                        \
                         .event = name##_event,                                                                     \
                         .increment = name##_increment,                                                             \
                         .carried = name##_carried,                                                                 \
                         .own = name##_own,                                                                         \
                         .newton = NO_COUNTS,                                                                       \
                         .difference = name##_difference}

/* Norm of y_hat - y for y = (theta, v), relative to the tolerances; theta is zero at the start of a step.
 * Source: [Tumiotto2024], equation (21). */
static inline symlie_real error_norm(const symlie_problem *restrict P, const symlie_control *restrict control,
                                     const symlie_trial *restrict trial, const symlie_real *restrict theta,
                                     const symlie_real *restrict theta_hat, const symlie_real *restrict v_n, const symlie_real *restrict v,
                                     const symlie_real *restrict v_hat)
{
    const int n = DIMENSION;
    symlie_real sum = SYMLIE_NUMBER(0);
    if (SYMLIE_UNLIKELY(trial->keeps_difference)) {
        for (int k = 0; k < n; k++) trial->difference[k] = theta_hat[k] - theta[k];
        for (int k = 0; k < n; k++) trial->difference[n + k] = v_hat[k] - v[k];
    }
    for (int k = 0; k < n; k++) {
        const symlie_real scale = control->atol[k] + control->rtol[k] * fabs(theta[k]);
        const symlie_real e = (theta_hat[k] - theta[k]) / scale;
        sum += control->weight[k] * e * e;
    }
    for (int k = 0; k < n; k++) {
        const symlie_real a = fabs(v_n[k]), b = fabs(v[k]);
        const symlie_real scale = control->atol[n + k] + control->rtol[n + k] * SYMLIE_LARGER(a, b);
        const symlie_real e = (v_hat[k] - v[k]) / scale;
        sum += control->weight[n + k] * e * e;
    }
    return sqrt(sum);
}

#if HAS_SWITCHES
/* Whether functions that choose pieces have other signs at one state than at another. */
static inline int signs_differ(const symlie_problem *restrict P, const symlie_real *restrict before, const symlie_real *restrict after)
{
    int differ = 0;
    for (int k = 0; k < SWITCHES; k++) differ |= (before[k] > 0) != (after[k] > 0);
    return differ;
}

#endif

#include "rates.h"
#include "carried.h"
#include "stages.h"

static inline long long trial_workspace(const symlie_problem *restrict P)
{
    return STORAGE + 5LL * DIMENSION + ROWS + EVENTS + INCREMENTS + CARRIED + OWN;
}

#endif
