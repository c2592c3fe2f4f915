/* What all methods use before they define method_step. */
#ifndef SYMLIE_METHOD_H
#define SYMLIE_METHOD_H

#include "vectors.h"

#ifndef HAS_OWN_STATE
#define HAS_OWN_STATE 0
#define OWN 0 /* size of what a method carries for itself */
#endif

/* The result of a step that may still be tried again. */
typedef struct {
    double *q;
    double *v;
    double *lambda;
    double *acceleration;       /* v' at the end, if it can serve as the next first stage */
    long long acceleration_is_valid;
    double *first_acceleration; /* v' of the first stage, which serves again if the step is rejected */
    double *event;              /* event functions at the end, once they are computed */
    double *increment;          /* local coordinates of the step, or their sum over a chain; see keep_increment */
    double *carried;            /* what is carried at the end, once it is computed */
    double *own;                /* what the method carries for itself, at the end */
    double error;               /* at most 1 if acceptable */
    long long rhs_evaluations;
    long long newton_iterations;
    double largest_constraint;
    double largest_velocity;
    long long keeps_difference; /* whether the estimated error is wanted */
    double *difference;         /* y_hat - y for y = (theta, v) */
} symlie_trial;

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
    symlie_trial name = {name##_q,       name##_v,   name##_lambda, name##_acceleration, 0, name##_first, name##_event, \
                         name##_increment, name##_carried, name##_own, 0, 0, 0, 0, 0, 0, name##_difference}

/* Norm of y_hat - y for y = (theta, v), relative to the tolerances; theta is zero at the start of a step.
 * Source: [Tumiotto2024], equation (21). */
static inline double error_norm(const symlie_problem *restrict P, const symlie_control *restrict control,
                                const symlie_trial *restrict trial, const double *restrict theta,
                                const double *restrict theta_hat, const double *restrict v_n, const double *restrict v,
                                const double *restrict v_hat)
{
    const int n = DIMENSION;
    double sum = 0;
    (void)P;
    if (SYMLIE_UNLIKELY(trial->keeps_difference)) {
        for (int k = 0; k < n; k++) trial->difference[k] = theta_hat[k] - theta[k];
        for (int k = 0; k < n; k++) trial->difference[n + k] = v_hat[k] - v[k];
    }
    for (int k = 0; k < n; k++) {
        const double scale = control->atol[k] + control->rtol[k] * fabs(theta[k]);
        const double e = (theta_hat[k] - theta[k]) / scale;
        sum += control->weight[k] * e * e;
    }
    for (int k = 0; k < n; k++) {
        const double a = fabs(v_n[k]), b = fabs(v[k]);
        const double scale = control->atol[n + k] + control->rtol[n + k] * (a > b ? a : b);
        const double e = (v_hat[k] - v[k]) / scale;
        sum += control->weight[n + k] * e * e;
    }
    return sqrt(sum);
}

#include "carried.h"
#include "stages.h"

#endif
