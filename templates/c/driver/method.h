/* Macros and types common to all methods, included before method_step. */
#ifndef SYMLIE_METHOD_H
#define SYMLIE_METHOD_H

#include "vectors.h"
#include "node_blocks.h"

/* 1 if M is regular. */
#ifndef MASS_IS_REGULAR
#define MASS_IS_REGULAR 1
#endif

#ifndef HAS_OWN_STATE
#define HAS_OWN_STATE 0
#define OWN 0 /* size of the method history */
#endif

/* 1 if the method chooses the order of each step together with its length. */
#ifndef CHOOSES_ORDER
#define CHOOSES_ORDER 0
#endif

/* Order of the first step after a restart. Multistep methods restart at kinks, which reduce their order. */
#ifndef RESTARTS_AT_KINKS
#define RESTARTS_AT_KINKS 0
#define FIRST_ORDER 1
#endif

/* 1 if the method history contains accelerations, so that the method restarts where they jump. */
#ifndef RESTARTS_AT_SWITCHES
#define RESTARTS_AT_SWITCHES 0
#endif
#if defined(SWITCHES) && RESTARTS_AT_SWITCHES
#define HAS_SWITCHES 1
#else
#define HAS_SWITCHES 0
#endif

/* 1 if v' at the start of a step follows from the multipliers there. */
#ifndef STARTS_FROM_MULTIPLIERS
#define STARTS_FROM_MULTIPLIERS 0
#endif

/* 1 if events change the state. In time stepping, steps contain the impacts of contacts. */
#ifndef RELEASES
#define RELEASES 0
#endif
#if defined(CONTACTS) && !defined(STEPS_CONTACTS)
#define HAS_CONTACTS 1
#else
#define HAS_CONTACTS 0
#endif
#ifdef STEPS_CONTACTS
#define HAS_CHANGES OWN_CHANGES
#elif defined(RESETS) || RELEASES
#define HAS_CHANGES 1
#else
#define HAS_CHANGES 0
#endif

/* 1 if constraint forces act along other rows than those of B. */
#ifndef SLIDES
#define SLIDES 0
#endif

/* 1 if steps follow the directions of slip between events. */
#define FOLLOWS_SLIP (SLIDES && HAS_EVENTS && HAS_CONTACTS)

/* Number of components of reactions of constraints with friction; 1 if friction acts along their directions. */
#ifndef REACTIONS
#define REACTIONS 0
#define TURNS 0
#endif

/* 1 if each step proposes the length of the next one. */
#ifndef CHOOSES_LENGTH
#define CHOOSES_LENGTH CHOOSES_ORDER
#endif

/* 1 if velocities at the end of a step violate the hidden constraints, since they follow from increments over h. */
#ifndef DIVIDES_INCREMENTS
#define DIVIDES_INCREMENTS 0
#endif

/* 1 if a step is a polynomial independent of its length, so that a state within a step is the result of a shorter
 * step. */
#ifndef POLYNOMIAL
#define POLYNOMIAL 0
#endif

#ifndef EVENT_SERIES
#define EVENT_SERIES 0
#endif

/* 1 if the rates of local coordinates differ from the velocities. */
#ifndef COORDINATE_RATES
#define COORDINATE_RATES 0
#endif

/* 1 if states within a step are computed by shorter steps. */
#define BY_SHORTER_STEPS (FIELDS || POLYNOMIAL || COORDINATE_RATES)

#ifndef SUBSTEPS
#define SUBSTEPS 0 /* number of steps of the method in a composed step */
#endif

/* 1 if the method may cache data at the start of the workspace, which it can recompute. */
#ifdef KEEPS_FACTORS
#define HAS_CACHE 1
#else
#define HAS_CACHE POLYNOMIAL
#define KEEPS_FACTORS 0
#endif
#if !HAS_CACHE
static inline void forget_kept(const symlie_problem *restrict P)
{
    (void)P;
}

static inline long long kept_workspace(const symlie_problem *restrict P)
{
    return 0;
}
#endif

/* Statistics of Newton iterations; see implicit/newton_iteration.py. */
typedef struct {
    symlie_whole evaluations;
    symlie_whole iterations;
    symlie_whole jacobians;
    symlie_whole factorisations;
    symlie_whole back_substitutions;
    symlie_whole refreshes;
    symlie_whole halvings;
    symlie_whole rounding_floor;
    symlie_whole slowest;       /* unknown with the largest residual before the last correction */
} newton_counts;

#define NO_COUNTS {.slowest = SYMLIE_WHOLE(-1)}

/* Time of a state, with its derivatives. */
#if HAS_TANGENTS
#define TIME_OF(state) (*(state)->time)
#else
#define TIME_OF(state) ((state)->t)
#endif

/* Result of an attempted step. */
typedef struct {
    symlie_real *q;
    symlie_real *v;
    symlie_real *lambda;
    symlie_real *acceleration;  /* v' at the end, if the next step can reuse it as its first stage */
    long long acceleration_is_valid;
    symlie_real *first_acceleration; /* v' of the first stage, reused after a rejection */
    symlie_real *event;         /* event functions at the end, after their evaluation */
    symlie_real *increment;     /* local coordinates of the step, summed over a composition; see keep_increment */
    symlie_real *carried;       /* auxiliary state at the end, after its computation */
    symlie_real *own;           /* method history at the end */
    long long own_rest;         /* number of trailing values of `own` that a step does not write because the state
                                 * already contains them */
    symlie_real error;          /* error norm, at most 1 if acceptable */
    symlie_whole rhs_evaluations;
    newton_counts newton;
    symlie_real largest_constraint;
    symlie_real largest_velocity;
    long long dependent_rows;   /* dependent constraint equations at the end; multipliers then have the smallest norm */
    long long keeps_difference; /* 1 if `difference` is needed */
    symlie_real *difference;    /* y_hat - y for y = (theta, v) */
    symlie_real planned;        /* length of the step before it was shortened to reach a time, for methods of variable
                                 * order */
    symlie_whole order;         /* order of the step, for these methods */
    symlie_real factor;         /* factor of the next step size, for methods that choose it */
    symlie_mask is_untried;     /* lanes whose step exceeds the limit of the method: nothing is computed except the
                                 * error */
    long long is_moved;         /* 1 if the end is not that of the increment because it was projected near a singular
                                 * configuration */
    symlie_real *solution;      /* with SYMLIE_VALUES: unknowns of the implicit end of a step, and a factorised matrix near it */
    struct value_steps *values; /* with VALUES_FIRST: steps without tangents */
    long long is_inside;        /* dense-output evaluation only: no step follows */
    long long ends_run;         /* 1 if no step follows after acceptance */
    long long may_be_rough;     /* 1 if a first step across a switch may be inaccurate: the step up to the switch
                                 * replaces it */
    long long is_rough;         /* 1 if it is inaccurate */
    int parts;                  /* number of substeps of a first step */
} symlie_trial;

/* Return whether v' of the first stage is needed after a step: the step may be rejected or is monitored. With lanes,
 * it is stored already if it was known before the step. */
static inline int reads_first_acceleration(const symlie_control *restrict control, const symlie_state *restrict state,
                                           const symlie_trial *restrict trial)
{
    if (SYMLIE_LANES > 1) return !state->acceleration_is_valid;
    return FIXED_TOPOLOGY || control->is_adaptive || trial->keeps_difference;
}

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

/* Replace a number by zero if numerical damping has made it negligible. */
static inline symlie_real without_traces(symlie_real x)
{
    return SYMLIE_WHERE(fabs(x) < (symlie_scalar)NEGLIGIBLE, x - SYMLIE_VALUE(x), x);
}

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
/* Return whether a switching function has different signs at two states. */
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
