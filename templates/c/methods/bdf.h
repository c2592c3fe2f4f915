/* BDF of orders one to five on Lie groups, in index-3 or stabilised index-2 form, in local coordinates at the new
 * point.
 *
 *   q_{n+1} = q_n o exp(theta)                                                              (a)
 *   w = theta + B_{n+1}^T eta   (index 3 and without constraints: w = theta)                (b)
 *   theta_i = log(q_{n+1}^-1 o q_{n+1-i}),  i = 1, ..., k;  theta_1 = -theta                (1)
 *   h v_{n+1} = sum_{i>=1} alpha_i theta_i + alpha_0 (w - theta)                            (2)
 *   h v'_{n+1} = sum_{i>=0} alpha_i v_{n+1-i}                                               (3)
 *   alpha_i = d/dtau prod_{j!=i} (tau - tau_j)/(tau_i - tau_j) at tau = 0,  tau_i = (t_{n+1-i} - t_{n+1})/h   (4)
 *   M v'_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}^T lambda_{n+1} = 0                  (c)
 *   Phi(t_{n+1}, q_{n+1}) = 0                                                               (d)
 *   B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)        (e)
 *   z'_{n+1} = f(t_{n+1}, q_{n+1}, v_{n+1}, ...)                                            (f)
 *
 * For first-order states z' is the right-hand side of (2) divided by h. The printed step of a half-explicit method
 * takes the starting steps of a run and after each jump; STEPS is k. These steps are split into substeps so short that
 * halving them changes velocities by at most START_TOLERANCE. In index-3 form the method history contains the
 * velocities of (2), and there are 2 k - 1 starting steps, otherwise k - 1. The rotation from q_{n-k+1} to q_{n+1}
 * must stay below pi, the limit of log, so the rotation of each step is restricted to a fraction of pi. The group
 * element in theta_i is computed from the corresponding element relative to q_n: these elements are close to the
 * identity, whereas differences of configurations would contain the rounding errors of configurations. Equations with
 * letters are implemented in step_equations.h. Source: [Gear1985]; [Wieloch2021], here in the coordinates of the new
 * point. */
#ifndef SYMLIE_BDF_H
#define SYMLIE_BDF_H

#if !CHOOSES_ORDER
#include "bdf_start.h"
#endif

#define SEES_END 1
#include "implicit_step.h"

#include "bdf_formula.h"

#if CHOOSES_ORDER
#include "bdf_variable.h"
#else

#define IS_SCHEME (CONSTRAINED && !HAS_ETA) /* 1 if the method history contains the velocities of (2) */
#define BEGINS (IS_SCHEME ? 2 * STEPS - 1 : STEPS - 1)

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return implicit_workspace(P) + begin_step_workspace(P) + formula_workspace(P) + 6LL * DIMENSION + 2LL * STORAGE + ROWS + SIGNS_OF_START;
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
    const newton_policy policy = IMPLICIT_POLICY;
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
    const symlie_real angle = 4 * STEPS * STEPS * system_chart(P, q_n, theta);
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
