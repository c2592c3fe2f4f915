/* BDF of order two in increments, in index-3 or stabilised index-2 form.
 *
 *   q_{n+1} = q_n o exp(theta_{n+1})                                                        (a)
 *   w = theta_{n+1} + B_n^T eta   (index 3 and without constraints: w = theta_{n+1})        (b)
 *   v_{n+1} = (1 + r) w/h - r theta_n/h_n                                                   (1)
 *   h v'_{n+1} = alpha_0 v_{n+1} + alpha_1 v_n + alpha_2 v_{n-1}                            (2)
 *   r = h/(h + h_n);  alpha_i are the weights of BDF2 for the times of three steps          (3)
 *   M v'_{n+1} + g(t_{n+1}, q_{n+1}, v_{n+1}) + B_{n+1}^T lambda_{n+1} = 0                  (c)
 *   Phi(t_{n+1}, q_{n+1}) = 0                                                               (d)
 *   B_{n+1} v_{n+1} + b = 0   (stabilised index 2; nonholonomic constraints in both)        (e)
 *
 * The first step of a run and after each jump uses r = 0 and alpha = (1, -1). Equations with letters are implemented in
 * step_equations.h. Source: [Wieloch2021]; [Hante2022], section 5, stabilised as in [Gear1985]. */
#ifndef SYMLIE_BDF_INCREMENTS_H
#define SYMLIE_BDF_INCREMENTS_H

#define SEES_END 0
#include "implicit_step.h"

struct step_formula {
    symlie_real h;
    symlie_real gamma;              /* 1 + r */
    symlie_real known;              /* coefficient of theta_n in v */
    symlie_real alpha[3];
    const symlie_real *increment;   /* theta_n */
    const symlie_real *v;
    const symlie_real *earlier;     /* v_{n-1} */
};

static inline void formula_at(const symlie_problem *restrict P, const step_formula *restrict f, const symlie_real *restrict theta,
                              const symlie_real *restrict w, symlie_real *restrict v, symlie_real *restrict v_dot)
{
    (void)P, (void)theta;
    for (int k = 0; k < DIMENSION; k++) {
        /* (1) */
        v[k] = f->gamma * w[k] / f->h + f->known * f->increment[k];
        /* (2) */
        v_dot[k] = (f->alpha[0] * v[k] + (f->alpha[1] * f->v[k] + f->alpha[2] * f->earlier[k])) / f->h;
    }
}

static inline long long step_workspace(const symlie_problem *restrict P)
{
    return implicit_workspace(P) + acceleration_workspace(P) + 2LL * DIMENSION + STORAGE + JACOBIAN_VALUES + 2LL * ROWS;
}

static inline int method_begin(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                               const symlie_control *restrict control, mass_matrix *restrict mass,
                               const symlie_state *restrict state, symlie_real *restrict own)
{
    ARRAY(a, DIMENSION);
    ARRAY(r, DIMENSION);
    ARRAY(lambda, ROWS);
    (void)h, (void)control;
    for (int k = 0; k < OWN; k++) own[k] = 0;
    copy(ROWS, state->lambda, lambda);
    const int status = stage_acceleration(P, work, t, state->q, state->v, r, mass, a, lambda);
    copy(DIMENSION, a, own + OWN_ACCELERATION);
    return status;
}

static inline int method_step(const symlie_problem *restrict P, symlie_real *restrict work, symlie_real t, symlie_real h,
                              const symlie_control *restrict control, mass_matrix *restrict mass,
                              const symlie_state *restrict state, symlie_trial *restrict trial)
{
    ARRAY(q_n, STORAGE);
    ARRAY(v_n, DIMENSION);
    IMPLICIT_STEP(end);
    const newton_policy policy = IMPLICIT_POLICY;
    const symlie_real *own = state->own, *kept = own + OWN - RECORD, *acceleration = own + OWN_ACCELERATION;
    const symlie_real length = own[OWN_LENGTH], ratio = length > 0 ? h / (h + length) : 0;
    const int at_hand = trial->own_rest > 0;
    (void)work, (void)control, (void)mass;
    trial->own_rest = 0;
    copy(STORAGE, state->q, q_n);
    copy(DIMENSION, state->v, v_n);
    /* (3) */
    step_formula formula = {h, 1 + ratio, 0, {1, -1, 0}, own + OWN_INCREMENT, v_n, own + OWN_EARLIER};
    if (length > 0) {
        const symlie_real x = -1 - length / h;
        formula.known = -ratio / length;
        formula.alpha[1] = -(x / (x + 1));
        formula.alpha[2] = 1 / x * (-1 / (-1 - x));
        formula.alpha[0] = -formula.alpha[1] - formula.alpha[2];
    }
    int status = begin_implicit_step(&end, &formula, t, t + h, formula.gamma / h, formula.gamma / h * formula.alpha[0] / h,
                                     formula.gamma / h, q_n, kept, at_hand, trial->own + OWN - RECORD);
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    for (int k = 0; k < DIMENSION; k++) end.u[k] = h * (v_n[k] + h * acceleration[k] / 2);
    status = solve_implicit_step(&end, &policy, state->lambda, &trial->newton);
    trial->rhs_evaluations = trial->newton.evaluations;
    copy(DIMENSION, acceleration, trial->first_acceleration);
    trial->acceleration_is_valid = 0;
    if (SYMLIE_UNLIKELY(status != SYMLIE_DONE)) return status;
    keep_end(&end, work, trial);
    keep_record(&end, kept, trial);
    trial->own[OWN_LENGTH] = h;
    copy(DIMENSION, end.theta, trial->own + OWN_INCREMENT);
    copy(DIMENSION, v_n, trial->own + OWN_EARLIER);
    copy(DIMENSION, trial->acceleration, trial->own + OWN_ACCELERATION);
    return SYMLIE_DONE;
}

#endif
